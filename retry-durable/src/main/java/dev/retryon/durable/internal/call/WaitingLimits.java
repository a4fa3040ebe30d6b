/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.call;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.durable.CallEngine;
import dev.retryon.spring.internal.report.ExtensionErrors;
import java.time.Duration;
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

    private final ExtensionErrors faults;

    private volatile Count latest = new Count(Map.of(), System.nanoTime() - REFRESHED.toNanos());

    private @Nullable Count pending;

    private @Nullable CountDownLatch counting;

    /** No count begins before, because the latest one has failed. */
    private long nextAt = System.nanoTime();

    WaitingLimits(Lanes lanes, Supplier<Map<String, CallEngine.Backlog>> source, ExtensionErrors faults) {
        this.lanes = lanes;
        this.source = source;
        this.faults = faults;
    }

    /** The waiting calls at a time, and those that this process has stored since, by lane. */
    private static final class Count {

        private final Map<String, CallEngine.Backlog> calls;

        private final Map<String, LongAdder> added = new ConcurrentHashMap<>();

        private final long at;

        Count(Map<String, CallEngine.Backlog> calls, long at) {
            this.calls = calls;
            this.at = at;
        }

        boolean isOlderThan(Duration age) {
            return System.nanoTime() - at >= age.toNanos();
        }

        void add(String lane) {
            added.computeIfAbsent(lane, missing -> new LongAdder()).increment();
        }

        long counted(@Nullable String lane) {
            return calls.entrySet().stream()
                    .filter(entry -> lane == null || entry.getKey().equals(lane))
                    .mapToLong(entry -> entry.getValue().waiting())
                    .sum();
        }

        long added(@Nullable String lane) {
            return added.entrySet().stream()
                    .filter(entry -> lane == null || entry.getKey().equals(lane))
                    .mapToLong(entry -> entry.getValue().sum())
                    .sum();
        }
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
        counted(lane);
    }

    /** A call that is stored while a count ends belongs to one of the two. */
    private synchronized void counted(String lane) {
        latest.add(lane);
        if (pending != null) {
            pending.add(lane);
        }
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
        if (count.counted(lane) >= limit && !count.isOlderThan(STALE)) {
            throw new RejectedExecutionException("the call is not stored, because as many durable calls wait as "
                    + property + " allows (" + limit + "); fix the downstream system, or raise the limit");
        }
    }

    private static boolean isDoubtful(Count count, long limit, @Nullable String lane) {
        long counted = count.counted(lane);
        return counted >= limit ? count.isOlderThan(FULL) : counted + count.added(lane) >= limit;
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
            counting = new CountDownLatch(1);
            // In its own thread: a count that fails must not end the transaction of the caller.
            Thread thread = new Thread(this::count, "retryon-count");
            thread.setDaemon(true);
            pending = new Count(Map.of(), System.nanoTime());
            try {
                thread.start();
            } catch (Throwable ex) {
                failed(ex);
                ended(null);
            }
        }
        return counting;
    }

    private void count() {
        Map<String, CallEngine.Backlog> counted = null;
        try {
            counted = source.get();
        } catch (Throwable ex) {
            failed(ex);
        }
        ended(counted);
    }

    private void failed(Throwable ex) {
        faults.report(
                ExtensionErrors.Kind.STORE,
                ExtensionErrorListener.ANY,
                "waiting durable calls could not be counted; max-waiting applies again when they can",
                ex);
    }

    private synchronized void ended(@Nullable Map<String, CallEngine.Backlog> counted) {
        Count begun = pending;
        Count next = new Count(counted == null ? Map.of() : counted, System.nanoTime());
        if (counted == null) {
            nextAt = System.nanoTime() + REFRESHED.toNanos();
        } else if (begun != null) {
            next.added.putAll(begun.added);
        }
        latest = next;
        pending = null;
        if (counting != null) {
            counting.countDown();
        }
        counting = null;
    }
}
