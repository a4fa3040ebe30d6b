// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * The next step of an asynchronous call, while it waits for a thread of the executor: the next attempt, or the step that
 * ends the call, which may block. An executor that is shut down may drop the step. The call then ends when the engine is
 * closed.
 */
final class QueuedStep implements PendingRetry, Runnable {

    private final AsyncRetry<?, ?> call;

    private final @Nullable Runnable last;

    /** @param last the step that ends the call, which may block; {@code null} for the next attempt */
    QueuedStep(AsyncRetry<?, ?> call, @Nullable Runnable last) {
        this.call = call;
        this.last = last;
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
            end(StopReason.SHUTDOWN);
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
        if (last == null) {
            call.refused(reason);
        } else {
            call.finish(last);
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
        if (last == null) {
            call.end(reason);
        } else {
            call.finish(last);
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
