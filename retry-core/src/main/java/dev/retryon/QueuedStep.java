/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * The next step of an asynchronous call from when it is handed to the executor until it starts: the next attempt, or the end
 * of a call that is to be kept, because keeping it may block. An executor that is shut down may drop it: the engine, when it
 * is closed, ends the call then.
 */
final class QueuedStep implements PendingRetry, Runnable {

    private final AsyncRetry<?, ?> call;

    private final @Nullable CallEnd end;

    /** @param end the end that is to be made; {@code null} for the next attempt */
    QueuedStep(AsyncRetry<?, ?> call, @Nullable CallEnd end) {
        this.call = call;
        this.end = end;
    }

    void start() {
        if (!call.waitFor(this)) {
            return;
        }
        engine().pending().add(this);
        try {
            engine().executor().execute(this);
        } catch (Throwable ex) {
            if (claim()) {
                refused(ex);
            }
            return;
        }
        if (engine().isClosed() && claim()) {
            shutDown();
        }
    }

    /** The executor's part. */
    @Override
    public void run() {
        if (DaemonTimer.isCurrentThread()) {
            // The executor runs tasks on the thread of its caller. An attempt that blocks would stop all waits and
            // limits.
            RetryEngine.commonPool().execute(this);
        } else if (claim()) {
            if (end == null) {
                call.drive();
            } else {
                call.finish(end);
            }
        }
    }

    private void refused(Throwable reason) {
        if (end == null) {
            call.refused(reason);
        } else {
            call.finish(end);
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
    public void shutDown() {
        if (end == null) {
            call.shutDown();
        } else {
            call.finish(end);
        }
    }

    /** The caller has given up the call, and has taken this step out of it. */
    void abandon() {
        engine().pending().remove(this);
    }

    private RetryEngine engine() {
        return call.retry().engine();
    }
}
