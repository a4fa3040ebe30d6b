// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The future that the caller of an asynchronous call receives. Code that completes or cancels it ends the call. It
 * releases the call when that ends, so that it does not keep the arguments, the errors and the caller's context.
 *
 * @param <T> the value's type
 */
final class RetryFuture<T extends @Nullable Object> extends CompletableFuture<T> {

    private volatile @Nullable AsyncRetry<?, T> call;

    RetryFuture(AsyncRetry<?, T> call) {
        this.call = call;
    }

    /** The call has ended: with an error, or else with a value. */
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

    /** Prints the state of the call. The error is not printed, because user code creates its text. */
    @Override
    public String toString() {
        return "RetryFuture[" + (!isDone() ? "not completed" : isCompletedExceptionally() ? "failed" : "completed")
                + "]";
    }

    /** The caller does not want this call any more, or completes its future in another way ({@code orTimeout}). */
    private void giveUp() {
        AsyncRetry<?, T> running = call;
        call = null;
        if (running != null) {
            running.giveUp();
        }
    }
}
