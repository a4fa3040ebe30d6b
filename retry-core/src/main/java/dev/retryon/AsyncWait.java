// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The time between two attempts of an asynchronous call. It is ended once: by the timer, by shutdown or by the caller. */
final class AsyncWait implements PendingRetry, Runnable {

    private final AsyncRetry<?, ?> call;

    /** Cancels the task of the timer; {@code null} until the timer has returned it. */
    private volatile RetryTime.@Nullable Handle handle;

    AsyncWait(AsyncRetry<?, ?> call) {
        this.call = call;
    }

    void start(Duration delay) {
        if (!call.waitFor(this)) {
            return;
        }
        call.retry().countWaiting(1);
        engine().pending().add(this);
        try {
            handle = engine().time().schedule(this, delay);
        } catch (Throwable ex) {
            if (claim()) {
                call.refused(ex);
            }
            return;
        }
        // If the wait was ended meanwhile, the timer may not have had it yet.
        StopReason halted = call.retry().halted();
        if (halted != null && claim()) {
            call.end(halted);
        } else if (call.held() != this) {
            cancelTimer();
        }
    }

    /** The timer's part. */
    @Override
    public void run() {
        if (claim()) {
            call.dispatch();
        }
    }

    @Override
    public boolean claim() {
        boolean claimed = call.release(this);
        if (claimed) {
            abandon();
        }
        return claimed;
    }

    @Override
    public void end(StopReason reason) {
        call.end(reason);
    }

    @Override
    public boolean endsWith(RetrySwitch retrySwitch) {
        return call.retry().retrySwitch() == retrySwitch;
    }

    /** The caller has given up the call, and has taken this wait out of it. */
    void abandon() {
        call.retry().countWaiting(-1);
        engine().pending().remove(this);
        cancelTimer();
    }

    private void cancelTimer() {
        RetryTime.Handle scheduled = handle;
        if (scheduled != null) {
            engine().cancel(scheduled);
        }
    }

    private RetryEngine engine() {
        return call.retry().engine();
    }
}
