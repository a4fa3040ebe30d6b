/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.actuate;

import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryListener;
import dev.retryon.RetryScheduled;
import dev.retryon.RetrySucceeded;
import dev.retryon.StopReason;
import dev.retryon.spring.internal.observe.RetryOutcome;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts retried calls by name since the start of the application, for the endpoint. Thread-safe. */
final class RetryStatistics implements RetryListener {

    /** The number of causes that are counted separately; later ones are counted together. */
    private static final int MAX_CAUSES = 500;

    private final Map<String, Counts> counts = new ConcurrentHashMap<>();

    private final Map<Cause, LongAdder> causes = new ConcurrentHashMap<>();

    @Override
    public void onEvent(RetryEvent event) {
        Counts counted = counts.computeIfAbsent(event.name(), missing -> new Counts());
        if (event instanceof RetryScheduled) {
            counted.retries.increment();
            count(event.name(), event.error(), null);
        } else if (event instanceof RetryFailed failed) {
            counted.ended(failed);
            count(event.name(), event.error(), failed.reason());
        } else if (event instanceof RetrySucceeded) {
            counted.successesAfterRetry.increment();
        }
    }

    private void count(String name, @Nullable Throwable error, @Nullable StopReason reason) {
        Cause cause = new Cause(name, error == null ? null : error.getClass().getName(), reason);
        LongAdder adder = causes.get(cause);
        if (adder == null) {
            Cause counted = causes.size() < MAX_CAUSES ? cause : new Cause(null, "others", reason);
            adder = causes.computeIfAbsent(counted, missing -> new LongAdder());
        }
        adder.increment();
    }

    /** How often each cause has occurred. */
    Map<Cause, Long> causes() {
        Map<Cause, Long> sums = new LinkedHashMap<>();
        causes.forEach((cause, adder) -> sums.put(cause, adder.sum()));
        return sums;
    }

    /** The names that something has happened to. */
    Set<String> names() {
        return Collections.unmodifiableSet(counts.keySet());
    }

    /** The counts of a name; all zero if nothing has happened. */
    Counts of(String name) {
        Counts known = counts.get(name);
        return known != null ? known : new Counts();
    }

    /**
     * Why attempts failed.
     *
     * @param name the name of the retry; {@code null} once there are too many
     * @param exception the class of the error; {@code null} for a returned value, {@code others} once there are too many
     * @param reason why the call was given up; {@code null} if it was retried
     */
    record Cause(
            @Nullable String name,
            @Nullable String exception,
            @Nullable StopReason reason) {}

    /** The counts of one name. */
    static final class Counts {

        private final LongAdder retries = new LongAdder();

        private final LongAdder successesAfterRetry = new LongAdder();

        private final LongAdder cancelled = new LongAdder();

        private final Map<StopReason, LongAdder> recovered = new ConcurrentHashMap<>();

        private final Map<StopReason, LongAdder> failed = new ConcurrentHashMap<>();

        private volatile RetriedDescription.@Nullable LastFailure lastFailure;

        private void ended(RetryFailed event) {
            if (RetryOutcome.of(event) == RetryOutcome.CANCELLED) {
                cancelled.increment();
                return;
            }
            (event.recovered() ? recovered : failed)
                    .computeIfAbsent(event.reason(), missing -> new LongAdder())
                    .increment();
            lastFailure = RetriedDescription.LastFailure.of(event);
        }

        long cancelled() {
            return cancelled.sum();
        }

        long retries() {
            return retries.sum();
        }

        long successesAfterRetry() {
            return successesAfterRetry.sum();
        }

        Map<String, Long> recovered() {
            return sums(recovered);
        }

        Map<String, Long> failed() {
            return sums(failed);
        }

        RetriedDescription.@Nullable LastFailure lastFailure() {
            return lastFailure;
        }

        /** Calls that failed, recovered ones too. */
        long failures() {
            return sum(failed) + sum(recovered);
        }

        private static long sum(Map<StopReason, LongAdder> adders) {
            long sum = 0;
            for (LongAdder adder : adders.values()) {
                sum += adder.sum();
            }
            return sum;
        }

        private static Map<String, Long> sums(Map<StopReason, LongAdder> adders) {
            Map<String, Long> sums = new TreeMap<>();
            adders.forEach((reason, adder) -> sums.put(RetryOutcome.tag(reason), adder.sum()));
            return sums;
        }
    }
}
