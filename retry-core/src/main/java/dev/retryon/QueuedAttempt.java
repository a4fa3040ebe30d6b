/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

/**
 * The next attempt of an asynchronous call from when it is handed to the executor until it starts. An executor that is shut
 * down may drop it: the engine, when it is closed, ends the call then.
 */
final class QueuedAttempt implements PendingRetry, Runnable {

    private final AsyncRetry<?, ?> call;

    QueuedAttempt(AsyncRetry<?, ?> call) {
        this.call = call;
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
                call.refused(ex);
            }
            return;
        }
        if (engine().isClosed() && claim()) {
            call.shutDown();
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
            call.drive();
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
        call.shutDown();
    }

    /** The caller has given up the call, and has taken this attempt out of it. */
    void abandon() {
        engine().pending().remove(this);
    }

    private RetryEngine engine() {
        return call.retry().engine();
    }
}
