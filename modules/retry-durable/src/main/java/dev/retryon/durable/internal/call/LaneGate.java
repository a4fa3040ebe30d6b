// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Decides when a lane's attempts start here: at a limited rate, and one at a time after consecutive failures. Thread-safe. */
final class LaneGate {

    /** The number of consecutive failed attempts after which a lane closes. */
    static final int FAILURES = 3;

    /** The longest time between a failed probe and the next one. */
    static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    /** How long the gate waits for a probe, which can hang and ignore its time limit. In nanoseconds. */
    private static final long LONGEST_PROBE = Duration.ofMinutes(10).toNanos();

    /** The lost time, in nanoseconds, for which the gate compensates, because searches are slightly late. */
    private static final long CATCH_UP = Duration.ofMillis(250).toNanos();

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final @Nullable Double maxPerSecond;

    /** The time between two starts; 0 without a rate. */
    private final long interval;

    private final boolean probes;

    private final LongSupplier nanos;

    private long nextAt;

    /** Whether an attempt has started under the rate. */
    private boolean started;

    private int failures;

    /** The call that is tried while the lane is closed. */
    private @Nullable String probe;

    private long probeAt;

    /** When the next call can be tried while the lane is closed. */
    private long closedUntil;

    LaneGate(@Nullable Double maxPerSecond, boolean probes, LongSupplier nanos) {
        this.maxPerSecond = maxPerSecond;
        this.interval = maxPerSecond == null ? 0 : Math.max(1, (long) (SECOND / maxPerSecond));
        this.probes = probes;
        this.nanos = nanos;
        this.nextAt = nanos.getAsLong();
    }

    @Nullable Double maxPerSecond() {
        return maxPerSecond;
    }

    /** Returns whether as many attempts have started as the rate allows, apart from the time needed to find calls. */
    synchronized boolean isAtRate() {
        return started && nextAt - nanos.getAsLong() > -CATCH_UP / 2;
    }

    /** Returns whether calls are tried one at a time, because several attempts have failed in a row. */
    synchronized boolean isClosed() {
        return probes && failures >= FAILURES;
    }

    /** Starts an attempt of a call. Returns zero if the attempt can start, or the time that it must wait. */
    synchronized Duration enter(String id) {
        long now = nanos.getAsLong();
        long wait = waitAt(now);
        if (wait > 0) {
            return Duration.ofNanos(wait);
        }
        if (interval > 0) {
            nextAt = later(nextAt, now - CATCH_UP) + interval;
            started = true;
        }
        if (isClosed()) {
            probe = id;
            probeAt = now;
        }
        return Duration.ZERO;
    }

    synchronized void cancel(String id) {
        if (interval > 0) {
            nextAt -= interval;
        }
        if (id.equals(probe)) {
            probe = null;
        }
    }

    /** Stops waiting for a probe whose call was left by a stopped worker. */
    synchronized void reset() {
        probe = null;
    }

    /** Returns the time until the next attempt can start, or zero if one can start now. */
    synchronized Duration closedFor() {
        return Duration.ofNanos(Math.max(0, waitAt(nanos.getAsLong())));
    }

    private long waitAt(long now) {
        if (isClosed() && probe != null && now - probeAt < LONGEST_PROBE) {
            return SECOND;
        }
        long wait = isClosed() ? closedUntil - now : 0;
        if (interval > 0 && nextAt - now > 0) {
            // Not for each of many attempts, because the gate compensates for the time that is lost by waiting longer.
            wait = Math.max(wait, Math.max(nextAt - now, CATCH_UP / 2));
        }
        return wait;
    }

    private static long later(long one, long other) {
        return one - other > 0 ? one : other;
    }

    /**
     * Ends the attempt of a call, with the outcome if it has a meaning for other calls. Returns whether the lane was
     * closed, so that other calls can start earlier than {@link #closedFor} has returned.
     */
    synchronized boolean leave(String id, @Nullable Outcome outcome) {
        boolean wasClosed = isClosed();
        boolean wasProbe = id.equals(probe);
        if (outcome != null) {
            failures = outcome.success() ? 0 : Math.min(failures + 1, FAILURES);
        }
        if (wasProbe || !isClosed()) {
            probe = null;
        }
        // The failure of another attempt does not end the wait for a probe.
        if (wasProbe || (outcome != null && probe == null)) {
            Duration delay = outcome == null ? Duration.ZERO : outcome.delay();
            Duration pause = delay.compareTo(LONGEST_PAUSE) < 0 ? delay : LONGEST_PAUSE;
            closedUntil = nanos.getAsLong() + pause.toNanos();
        }
        return wasClosed;
    }

    /** How an attempt ended, and the time until the next attempt of a call that failed. */
    record Outcome(boolean success, Duration delay) {

        static final Outcome SUCCESS = new Outcome(true, Duration.ZERO);

        /** The last attempt of a call, which has no delay. */
        static final Outcome LAST_FAILURE = new Outcome(false, Duration.ofSeconds(1));
    }
}
