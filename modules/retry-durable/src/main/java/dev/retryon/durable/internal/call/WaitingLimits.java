// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.durable.CallEngine;
import dev.retryon.spring.internal.report.ExtensionErrors;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of waiting calls. The calls of all processes are counted in the background every few seconds, and again
 * when the calls that this process has stored since may have reached a limit. Only a count rejects calls, because stored calls
 * may have run meanwhile. Thread-safe.
 */
final class WaitingLimits {

    /** The age of a count after which another one begins, which no call waits for. */
    private static final Duration REFRESHED = Duration.ofSeconds(5);

    /** The age until which a count that has reached a limit rejects calls. */
    private static final Duration FULL = Duration.ofSeconds(1);

    /** The age after which a count says nothing any more, because the next one hangs. */
    private static final Duration STALE = Duration.ofSeconds(30);

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Lanes lanes;

    private final Supplier<Map<String, CallEngine.Backlog>> source;

    private final ExtensionErrors errors;

    /** The number of calls that this process has stored, by lane. */
    private final Map<String, LongAdder> stored = new ConcurrentHashMap<>();

    private volatile Count latest = new Count(Map.of(), Map.of(), System.nanoTime() - REFRESHED.toNanos());

    private @Nullable CountDownLatch counting;

    /** No count begins before, because the latest one has failed. */
    private long nextAt = System.nanoTime();

    WaitingLimits(Lanes lanes, Supplier<Map<String, CallEngine.Backlog>> source, ExtensionErrors errors) {
        this.lanes = lanes;
        this.source = source;
        this.errors = errors;
    }

    /** The waiting calls of all processes, and the calls that this one had stored when the count began, by lane. */
    private record Count(Map<String, Long> waiting, Map<String, Long> stored, long at) {

        boolean isOlderThan(Duration age) {
            return System.nanoTime() - at >= age.toNanos();
        }
    }

    /** Returns the number of calls of a lane; of all lanes for {@code null}. */
    private static long sum(Map<String, Long> calls, @Nullable String lane) {
        return lane != null
                ? calls.getOrDefault(lane, 0L)
                : calls.values().stream().mapToLong(Long::longValue).sum();
    }

    private Map<String, Long> stored() {
        Map<String, Long> calls = new HashMap<>();
        stored.forEach((lane, number) -> calls.put(lane, number.sum()));
        return calls;
    }

    /**
     * Counts a call that is to be stored.
     *
     * @throws RejectedExecutionException if it would be beyond a limit
     */
    void add(String lane) {
        if (!lanes.isLimited()) {
            return;
        }
        long end = System.nanoTime() + PATIENCE.toNanos();
        admit("retryon.durable.max-waiting", lanes.maxWaiting(), null, end);
        admit("retryon.durable.lanes." + lane + ".max-waiting", lanes.maxWaiting(lane), lane, end);
        if (latest.isOlderThan(REFRESHED)) {
            var unused = start();
        }
        stored.computeIfAbsent(lane, missing -> new LongAdder()).increment();
    }

    /**
     * @param lane the lane that the limit is for; {@code null} for all
     * @param end until when to wait for counts, by the monotonic clock
     */
    private void admit(String property, @Nullable Long limit, @Nullable String lane, long end) {
        if (limit == null) {
            return;
        }
        // Twice, because the first may have begun before the latest calls were stored.
        for (int i = 0; i < 2 && isDoubtful(latest, limit, lane); i++) {
            await(start(), end);
        }
        Count count = latest;
        if (sum(count.waiting(), lane) >= limit && !count.isOlderThan(STALE)) {
            throw new RejectedExecutionException("the call is not stored, because as many durable calls wait as "
                    + property + " allows (" + limit + "); fix the downstream system, or raise the limit");
        }
    }

    private boolean isDoubtful(Count count, long limit, @Nullable String lane) {
        long waiting = sum(count.waiting(), lane);
        return waiting >= limit
                ? count.isOlderThan(FULL)
                : waiting + sum(stored(), lane) - sum(count.stored(), lane) >= limit;
    }

    private static void await(@Nullable CountDownLatch counted, long end) {
        try {
            if (counted != null) {
                var unused = counted.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    /** Begins to count, unless that is under way. Returns the end of the count; {@code null} if none begins now. */
    private synchronized @Nullable CountDownLatch start() {
        if (counting == null && System.nanoTime() - nextAt >= 0) {
            // Without the call that begins the count, which may not be committed when the database is read.
            Map<String, Long> before = stored();
            counting = new CountDownLatch(1);
            // In its own thread: a count that fails must not end the transaction of the caller.
            Thread thread = new Thread(() -> count(before), "retryon-count");
            thread.setDaemon(true);
            try {
                thread.start();
            } catch (Throwable ex) {
                failed(ex);
            }
        }
        return counting;
    }

    private void count(Map<String, Long> before) {
        Map<String, Long> waiting = new HashMap<>();
        try {
            source.get().forEach((lane, backlog) -> waiting.put(lane, backlog.waiting()));
            ended(new Count(waiting, before, System.nanoTime()));
        } catch (Throwable ex) {
            failed(ex);
        }
    }

    private void failed(Throwable ex) {
        errors.report(
                ExtensionErrorListener.Kind.STORE,
                ExtensionErrorListener.ANY,
                "waiting durable calls could not be counted; max-waiting applies again when they can",
                ex);
        synchronized (this) {
            nextAt = System.nanoTime() + REFRESHED.toNanos();
            ended(new Count(Map.of(), stored(), System.nanoTime()));
        }
    }

    private synchronized void ended(Count count) {
        latest = count;
        if (counting != null) {
            counting.countDown();
        }
        counting = null;
    }
}
