/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The time between two attempts of an asynchronous call. Ended once: by the timer, by shutdown or by its caller. */
final class AsyncWait implements RetryEngine.Waiting {

    private final AsyncRetry<?, ?> call;

    private volatile RetryTimer.@Nullable Handle handle;

    AsyncWait(AsyncRetry<?, ?> call) {
        this.call = call;
    }

    void start(Duration delay) {
        if (!call.hold(this)) {
            return;
        }
        call.retry().countWaiting(1);
        try {
            handle = engine().schedule(this, delay);
        } catch (Throwable ex) {
            if (take()) {
                call.refused(ex);
            }
            return;
        }
        // Whoever came in between has not found the handle.
        if (engine().isClosed()) {
            shutDown();
        } else if (call.hasEnded()) {
            cancelTimer();
        }
    }

    /** The timer's part. */
    @Override
    public void run() {
        if (take()) {
            call.dispatch();
        }
    }

    @Override
    public void shutDown() {
        if (take()) {
            cancelTimer();
            call.shutDown();
        }
    }

    /** The caller has taken this out of the call. */
    void abandon() {
        ended();
        cancelTimer();
    }

    private boolean take() {
        boolean taken = call.release(this);
        if (taken) {
            ended();
        }
        return taken;
    }

    private void ended() {
        call.retry().countWaiting(-1);
        engine().ended(this);
    }

    private void cancelTimer() {
        RetryTimer.Handle scheduled = handle;
        if (scheduled != null) {
            scheduled.cancel();
        }
    }

    private RetryEngine engine() {
        return call.retry().engine();
    }
}
