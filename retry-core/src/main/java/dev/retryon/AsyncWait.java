// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The wait of an asynchronous call for its next step: first for the delay, and then for a thread of the executor. The wait
 * ends only once: by that thread, by shutdown, by a switch or by the caller. If a timer or an executor is shut down, it can
 * drop its task. In this case, the call ends when the engine is closed.
 */
final class AsyncWait implements Runnable {

    private final AsyncRetry<?, ?> call;

    private final RetryEngine engine;

    private final Duration delay;

    private final @Nullable Runnable last;

    /** Cancels the timer's task; {@code null} until the timer has returned it. */
    private volatile RetryTime.@Nullable Handle timer;

    /**
     * @param delay the delay before the step; zero if it waits only for a thread
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
        // If the wait has ended meanwhile, it might not have been in the timer yet.
        StopReason halted = halted();
        if (halted != null && claim()) {
            end(halted);
        } else if (!call.waitsFor(this)) {
            cancelTimer();
        }
    }

    private void queue() {
        if (call.waitsFor(this)) {
            try {
                engine.executor().execute(this);
            } catch (Throwable ex) {
                refused(ex);
            }
        }
    }

    /** Runs the next attempt or ends the call, on a thread of the executor. */
    @Override
    public void run() {
        if (SystemTime.isTimerThread()) {
            // The executor runs tasks on its caller's thread. A blocking attempt would stop all waits and limits.
            RetryEngine.commonPool().execute(this);
        } else if (claim()) {
            proceed(call::drive);
        }
    }

    private void refused(Throwable reason) {
        if (claim()) {
            proceed(() -> call.refused(reason));
        }
    }

    /** Claims the right to end the wait. Returns {@code false} if another thread was first. */
    boolean claim() {
        boolean claimed = call.release(this);
        if (claimed) {
            abandon();
        }
        return claimed;
    }

    /** Ends the claimed wait, because the engine was closed or retries were switched off. */
    void end(StopReason reason) {
        proceed(() -> call.end(reason));
    }

    /** Runs the step that ends the call or, if the call waits for its next attempt, the given step. */
    private void proceed(Runnable step) {
        if (last == null) {
            step.run();
        } else {
            call.finish(last);
        }
    }

    /** Returns why the wait must end, or {@code null} if it continues. */
    private @Nullable StopReason halted() {
        if (last == null) {
            return call.retry().halted();
        }
        return engine.isClosed() ? StopReason.SHUTDOWN : null;
    }

    /** Returns whether turning off the switch ends the wait. The step that ends a call runs nevertheless. */
    boolean endsWith(RetrySwitch retrySwitch) {
        return last == null && call.retry().retrySwitch() == retrySwitch;
    }

    void abandon() {
        engine.asyncWaits().remove(this);
        count(-1);
        cancelTimer();
    }

    private void count(int change) {
        if (!delay.isZero()) {
            call.retry().waiting().add(change);
        }
    }

    private void cancelTimer() {
        RetryTime.Handle scheduled = timer;
        if (scheduled != null) {
            engine.cancel(scheduled);
        }
    }
}
