// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryScheduled;
import dev.retryon.RetrySucceeded;
import dev.retryon.StopReason;
import dev.retryon.spring.internal.actuate.RetriedDescription.Calls;
import dev.retryon.spring.internal.actuate.RetriedDescription.LastFailure;
import dev.retryon.spring.internal.observe.RetryOutcome;
import dev.retryon.spring.internal.policy.CallCounters;
import dev.retryon.spring.internal.policy.NamedRetries;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Counts retried calls by name and by cause since the application started. Thread-safe. */
final class RetryStatistics {

    /** The number of causes that are counted separately. Later causes are counted together. */
    private static final int MAX_CAUSES = 500;

    private final NamedRetries retries;

    private final boolean successesCounted;

    private final Map<String, Adders> adders = new ConcurrentHashMap<>();

    private final Map<Cause, LongAdder> causes = new ConcurrentHashMap<>();

    RetryStatistics(NamedRetries retries, boolean successesCounted) {
        this.retries = retries;
        this.successesCounted = successesCounted;
    }

    void count(RetryEvent event) {
        String name = retries.names().of(event.name());
        Adders counted = adders.computeIfAbsent(name, missing -> new Adders());
        if (event instanceof RetryScheduled) {
            counted.retries.increment();
            countCause(name, event, null);
        } else if (event instanceof RetryFailed failed) {
            counted.ended(failed, () -> successes(name, counted));
            countCause(name, event, failed.reason());
        } else if (event instanceof RetrySucceeded) {
            counted.successesAfterRetry.increment();
        }
    }

    private void countCause(String name, RetryEvent event, @Nullable StopReason reason) {
        Throwable error = event.error();
        Cause cause = new Cause(name, error == null ? null : error.getClass().getName(), reason);
        LongAdder adder = causes.get(cause);
        if (adder == null) {
            Cause counted = causes.size() < MAX_CAUSES ? cause : new Cause(null, "others", reason);
            adder = causes.computeIfAbsent(counted, missing -> new LongAdder());
        }
        adder.increment();
    }

    Set<String> names() {
        Set<String> names = new TreeSet<>(adders.keySet());
        retries.all().forEach(retry -> names.add(retry.name()));
        return names;
    }

    Counts of(String name) {
        Adders counted = adders.getOrDefault(name, new Adders());
        Optional<CallCounters> counters = retries.counters(name);
        Long successes = counters.filter(known -> successesCounted)
                .map(known -> known.successes().sum())
                .orElse(null);
        Calls calls = new Calls(
                successes,
                counted.successesAfterRetry.sum(),
                sums(counted.recovered),
                sums(counted.failed),
                counted.cancelled.sum());
        return new Counts(
                calls,
                counted.retries.sum(),
                counters.map(known -> known.waiting().sum()).orElse(0L),
                counted.lastFailure,
                successes(name, counted) - counted.successesAtLastFailure);
    }

    private long successes(String name, Adders counted) {
        return retries.counters(name).map(known -> known.successes().sum()).orElse(0L)
                + counted.successesAfterRetry.sum();
    }

    private static Map<String, Long> sums(Map<StopReason, LongAdder> adders) {
        Map<String, Long> sums = new TreeMap<>();
        adders.forEach((reason, adder) -> sums.put(RetryOutcome.tag(reason), adder.sum()));
        return sums;
    }

    Map<Cause, Long> causes() {
        Map<Cause, Long> sums = new LinkedHashMap<>();
        causes.forEach((cause, adder) -> sums.put(cause, adder.sum()));
        return sums;
    }

    /** Returns the totals for a history: three for each name, and one for each cause. */
    Map<Object, Long> counters() {
        Map<Object, Long> counters = new HashMap<>(causes());
        for (String name : names()) {
            Counts counts = of(name);
            counters.put(new Counter(name, Kind.CALLS), counts.ended());
            counters.put(new Counter(name, Kind.RETRIES), counts.retries());
            counters.put(new Counter(name, Kind.FAILURES), counts.failures());
        }
        return counters;
    }

    record Counter(String name, Kind kind) {}

    enum Kind {
        CALLS,
        RETRIES,
        FAILURES
    }

    /**
     * Why attempts failed.
     *
     * @param name the name of the retry; {@code null} once there are too many causes
     * @param exception the class of the error; {@code null} for a value, {@code others} once there are too many
     * @param reason why the call ended; {@code null} if it was retried
     */
    record Cause(
            @Nullable String name,
            @Nullable String exception,
            @Nullable StopReason reason) {}

    /** The counts of one name, including retries of calls that have not ended. */
    record Counts(
            Calls calls,
            long retries,
            long waiting,
            @Nullable LastFailure lastFailure,
            long successesSinceFailure) {

        long ended() {
            return (calls.success() == null ? 0 : calls.success())
                    + calls.successAfterRetry()
                    + failures()
                    + calls.cancelled();
        }

        long failures() {
            return sum(calls.failure()) + sum(calls.recovered());
        }

        private static long sum(Map<String, Long> counts) {
            return counts.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    private static final class Adders {

        private final LongAdder retries = new LongAdder();

        private final LongAdder successesAfterRetry = new LongAdder();

        private final LongAdder cancelled = new LongAdder();

        private final Map<StopReason, LongAdder> recovered = new ConcurrentHashMap<>();

        private final Map<StopReason, LongAdder> failed = new ConcurrentHashMap<>();

        private volatile @Nullable LastFailure lastFailure;

        private volatile long successesAtLastFailure;

        private void ended(RetryFailed event, LongSupplier successes) {
            if (RetryOutcome.of(event) == RetryOutcome.CANCELLED) {
                cancelled.increment();
                return;
            }
            (event.recovered() ? recovered : failed)
                    .computeIfAbsent(event.reason(), missing -> new LongAdder())
                    .increment();
            lastFailure = LastFailure.of(event);
            successesAtLastFailure = successes.getAsLong();
        }
    }
}
