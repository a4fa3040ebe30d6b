// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The future that the caller of an asynchronous call receives. Code that completes or cancels it ends the call. The
 * reference to the call is dropped at the end to release arguments, errors and the caller's context.
 */
final class RetryFuture<T extends @Nullable Object> extends CompletableFuture<T> {

    private volatile @Nullable AsyncRetry<?, T> call;

    RetryFuture(AsyncRetry<?, T> call) {
        this.call = call;
    }

    @SuppressWarnings("NullAway") // null only where T admits it
    void end(@Nullable T value, @Nullable Throwable thrown) {
        call = null;
        if (thrown != null) {
            super.completeExceptionally(thrown);
        } else {
            super.complete(value);
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        giveUp();
        return super.cancel(mayInterruptIfRunning);
    }

    @Override
    public boolean complete(T value) {
        giveUp();
        return super.complete(value);
    }

    @Override
    public boolean completeExceptionally(Throwable error) {
        giveUp();
        return super.completeExceptionally(error);
    }

    /** Omits the error, because user code creates its text. */
    @Override
    public String toString() {
        return "RetryFuture[" + (!isDone() ? "not completed" : isCompletedExceptionally() ? "failed" : "completed")
                + "]";
    }

    /** Ends the call, because the caller has cancelled the future or completed it in another way ({@code orTimeout}). */
    private void giveUp() {
        AsyncRetry<?, T> running = call;
        call = null;
        if (running != null) {
            running.giveUp();
        }
    }
}
