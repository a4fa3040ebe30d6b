// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.store.Reading;
import dev.retryon.spring.module.ExtensionErrors;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts the waiting calls of all processes in the background every few seconds, and limits their number. They are counted
 * again when the calls that this process has stored since then might have reached a limit. Only a count rejects calls,
 * because stored calls might have run meanwhile. Thread-safe.
 */
final class WaitingLimits {

    /** The age until which a count that has reached a limit rejects calls. */
    private static final Duration FULL = Duration.ofSeconds(1);

    /** The age after which a count is ignored, because the next count hangs. */
    private static final Duration STALE = Duration.ofSeconds(30);

    private final Lanes lanes;

    private final Supplier<Map<String, CallEngine.Backlog>> source;

    private final Reading<Count> counts;

    /** The number of calls that this process has stored, by lane. */
    private final Map<String, LongAdder> stored = new ConcurrentHashMap<>();

    /** Replaces a count that is missing. */
    private volatile Count unknown = new Count(Map.of(), Map.of());

    WaitingLimits(Lanes lanes, Supplier<Map<String, CallEngine.Backlog>> source, ExtensionErrors errors) {
        this.lanes = lanes;
        this.source = source;
        this.counts = new Reading<>(this::count, ex -> {
            unknown = new Count(Map.of(), stored());
            errors.report(
                    ExtensionErrorListener.Kind.STORE,
                    ExtensionErrorListener.ANY,
                    "waiting durable calls could not be counted, so max-waiting does not apply before the next"
                            + " successful count",
                    ex);
        });
    }

    /** The waiting calls of all processes, and the number of calls that this one had stored when the count began, by lane. */
    private record Count(Map<String, CallEngine.Backlog> waiting, Map<String, Long> stored) {

        /** Returns the number of waiting calls in a lane or, for {@code null}, in all lanes. */
        long waiting(@Nullable String lane) {
            return waiting.entrySet().stream()
                    .filter(entry -> lane == null || lane.equals(entry.getKey()))
                    .mapToLong(entry -> entry.getValue().waiting())
                    .sum();
        }
    }

    /** Excludes the call that begins the count, which might not be committed when the database is read. */
    private Callable<Count> count() {
        Map<String, Long> before = stored();
        return () -> new Count(source.get(), before);
    }

    private Map<String, Long> stored() {
        Map<String, Long> calls = new HashMap<>();
        stored.forEach((lane, number) -> calls.put(lane, number.sum()));
        return calls;
    }

    /** Returns the waiting calls of all processes, counted up to some seconds ago; {@code null} if they cannot be counted. */
    @Nullable Map<String, CallEngine.Backlog> backlog() {
        Count count = counts.get();
        return count == null ? null : count.waiting();
    }

    /** Counts a call that will be stored. Throws RejectedExecutionException if the call would exceed a limit. */
    void add(String lane) {
        if (!lanes.isLimited()) {
            return;
        }
        long end = System.nanoTime() + Reading.PATIENCE.toNanos();
        admit("retryon.durable.max-waiting", lanes.maxWaiting(), null, end);
        admit("retryon.durable.lanes." + lane + ".max-waiting", lanes.maxWaiting(lane), lane, end);
        var unused = counts.start(Reading.FRESH);
        stored.computeIfAbsent(lane, missing -> new LongAdder()).increment();
    }

    /**
     * Throws if a limit is reached.
     *
     * @param lane the lane to which the limit applies; {@code null} for all
     * @param end when to stop waiting for counts, by the monotonic clock
     */
    private void admit(String property, @Nullable Long limit, @Nullable String lane, long end) {
        if (limit == null) {
            return;
        }
        // Twice, because the first count can have begun before the latest calls were stored.
        for (int i = 0; i < 2 && isDoubtful(limit, lane); i++) {
            var unused = counts.start(Duration.ZERO);
            counts.await(end);
        }
        if (latest().waiting(lane) >= limit) {
            throw new RejectedExecutionException(
                    "the call is not stored, because the number of waiting calls has reached " + property + " (" + limit
                            + "); fix the downstream system, or raise the limit");
        }
    }

    private Count latest() {
        Count count = counts.latest(STALE);
        return count == null ? unknown : count;
    }

    private boolean isDoubtful(long limit, @Nullable String lane) {
        Count count = latest();
        long waiting = count.waiting(lane);
        return waiting >= limit
                ? counts.isOlderThan(FULL)
                : waiting + sum(stored(), lane) - sum(count.stored(), lane) >= limit;
    }

    private static long sum(Map<String, Long> calls, @Nullable String lane) {
        return lane != null
                ? calls.getOrDefault(lane, 0L)
                : calls.values().stream().mapToLong(Long::longValue).sum();
    }
}
