// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The wait of an asynchronous call for its next step: first for the delay, and then for a thread of the executor. It is
 * ended once: by that thread, by shutdown, by a switch or by the caller. A timer or an executor that is shut down may
 * drop its task. The call then ends when the engine is closed.
 */
final class AsyncWait implements Runnable {

    private final AsyncRetry<?, ?> call;

    private final RetryEngine engine;

    private final Duration delay;

    private final @Nullable Runnable last;

    /** Cancels the task of the timer; {@code null} until the timer has returned it. */
    private volatile RetryTime.@Nullable Handle timer;

    /**
     * Creates a wait.
     *
     * @param delay the delay before the step; zero if it waits for a thread only
     * @param last the step that ends the call, which may block; {@code null} for the next attempt
     */
    AsyncWait(AsyncRetry<?, ?> call, Duration delay, @Nullable Runnable last) {
        this.call = call;
        this.engine = call.retry().engine();
        this.delay = delay;
        this.last = last;
    }

    void start() {
        // Before the call waits, because the end of the wait removes it.
        engine.asyncWaits().add(this);
        count(1);
        if (!call.waitFor(this)) {
            abandon();
            return;
        }
        try {
            if (delay.isZero()) {
                engine.executor().execute(this);
            } else {
                timer = engine.time().schedule(this::queue, delay);
            }
        } catch (Throwable ex) {
            refused(ex);
            return;
        }
        // If the wait was ended meanwhile, the timer may not have had it yet.
        StopReason halted = halted();
        if (halted != null && claim()) {
            end(halted);
        } else if (!call.waitsFor(this)) {
            cancelTimer();
        }
    }

    /** The timer's part. */
    private void queue() {
        if (call.waitsFor(this)) {
            try {
                engine.executor().execute(this);
            } catch (Throwable ex) {
                refused(ex);
            }
        }
    }

    /** The executor's part. */
    @Override
    public void run() {
        if (SystemTime.isTimerThread()) {
            // The executor runs tasks on the thread of its caller. An attempt that blocks would stop all waits and
            // limits.
            RetryEngine.commonPool().execute(this);
        } else if (claim()) {
            if (last == null) {
                call.drive();
            } else {
                call.finish(last);
            }
        }
    }

    private void refused(Throwable reason) {
        if (claim()) {
            if (last == null) {
                call.refused(reason);
            } else {
                call.finish(last);
            }
        }
    }

    /** Claims the right to end the wait; {@code false} if another thread was first. */
    boolean claim() {
        boolean claimed = call.release(this);
        if (claimed) {
            abandon();
        }
        return claimed;
    }

    /** Ends the claimed wait, because the engine was closed or retries were switched off. */
    void end(StopReason reason) {
        if (last == null) {
            call.end(reason);
        } else {
            call.finish(last);
        }
    }

    /** Returns why the wait must end; {@code null} if it continues. */
    private @Nullable StopReason halted() {
        if (last == null) {
            return call.retry().halted();
        }
        return engine.isClosed() ? StopReason.SHUTDOWN : null;
    }

    /** Returns whether the wait ends when a switch is turned off. The step that ends a call runs nevertheless. */
    boolean endsWith(RetrySwitch retrySwitch) {
        return last == null && call.retry().retrySwitch() == retrySwitch;
    }

    /** The call no longer waits for this. */
    void abandon() {
        engine.asyncWaits().remove(this);
        count(-1);
        cancelTimer();
    }

    private void count(int change) {
        if (!delay.isZero()) {
            call.retry().countWaiting(change);
        }
    }

    private void cancelTimer() {
        RetryTime.Handle scheduled = timer;
        if (scheduled != null) {
            engine.cancel(scheduled);
        }
    }
}
