/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.actuate;

import dev.retryon.spring.internal.policy.CallCounters;
import dev.retryon.spring.internal.policy.RetriedMethods;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The counts since the start of the application, in a few numbers for each name. They are cheap to request often. */
final class RetryTotals {

    private final RetriedMethods methods;

    private final RetryStatistics statistics;

    private final boolean successesCounted;

    RetryTotals(RetriedMethods methods, RetryStatistics statistics, boolean successesCounted) {
        this.methods = methods;
        this.statistics = statistics;
        this.successesCounted = successesCounted;
    }

    /** The names that something is retried under, sorted. */
    Set<String> names() {
        Set<String> names = new TreeSet<>(statistics.names());
        methods.all().forEach(method -> names.add(method.name()));
        methods.standalone().clients().forEach(client -> names.add(client.name()));
        names.addAll(methods.standalone().registered().keySet());
        return names;
    }

    /** The totals of a name; all zero if nothing has happened. */
    OfName of(String name) {
        RetryStatistics.Counts counts = statistics.of(name);
        Optional<CallCounters> counters = methods.counters().find(name);
        Long successes = counters.filter(known -> successesCounted)
                .map(known -> known.successes().sum())
                .orElse(null);
        return new OfName(
                successes,
                counts.successesAfterRetry(),
                counts.failures(),
                counts.cancelled(),
                counts.retries(),
                counters.map(known -> known.waiting().sum()).orElse(0L),
                counts.lastFailure());
    }

    /** The totals from which a history can be kept: three for each name, and one for each cause. */
    Map<Object, Long> counters() {
        Map<Object, Long> counters = new HashMap<>(causes());
        for (String name : names()) {
            OfName totals = of(name);
            counters.put(new Counter(name, Kind.CALLS), totals.calls());
            counters.put(new Counter(name, Kind.RETRIES), totals.retries());
            counters.put(new Counter(name, Kind.FAILURES), totals.failures());
        }
        return counters;
    }

    /** A counter of a name. */
    record Counter(String name, Kind kind) {}

    /** The counters of each name. */
    enum Kind {
        CALLS,
        RETRIES,
        FAILURES
    }

    /** How often each cause has occurred. */
    Map<RetryStatistics.Cause, Long> causes() {
        return statistics.causes();
    }

    /**
     * The totals of a name.
     *
     * @param successes calls that succeeded at once; {@code null} if they are not counted
     * @param successesAfterRetry those that succeeded at a later attempt
     * @param failures those that failed, recovered ones too
     * @param cancelled those that their callers gave up
     * @param retries retries of all those calls, and of calls under way
     * @param waiting calls that wait for their next attempt at this moment
     * @param lastFailure the latest call that failed, or {@code null}
     */
    record OfName(
            @Nullable Long successes,
            long successesAfterRetry,
            long failures,
            long cancelled,
            long retries,
            long waiting,
            RetriedDescription.@Nullable LastFailure lastFailure) {

        long calls() {
            return (successes == null ? 0 : successes) + successesAfterRetry + failures + cancelled;
        }
    }
}
