// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Completes as the stage of an attempt does, after the observation of the attempt has ended. Callbacks of the stage
 * itself would run in another order. To cancel it cancels the stage.
 */
final class ObservedStage extends CompletableFuture<@Nullable Object> {

    private final CompletionStage<?> stage;

    private final ObservedAttempt attempt;

    private ObservedStage(CompletionStage<?> stage, ObservedAttempt attempt) {
        this.stage = stage;
        this.attempt = attempt;
    }

    static ObservedStage of(CompletionStage<?> stage, ObservedAttempt attempt) {
        ObservedStage observed = new ObservedStage(stage, attempt);
        var unused = stage.handle((value, error) -> {
            attempt.end(error);
            return error != null ? observed.completeExceptionally(error) : observed.complete(value);
        });
        return observed;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        attempt.end(new CancellationException());
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        try {
            Future<?> running = stage instanceof Future<?> future ? future : stage.toCompletableFuture();
            running.cancel(mayInterruptIfRunning);
        } catch (UnsupportedOperationException ex) {
            return cancelled; // not every stage can become a future
        }
        return cancelled;
    }
}
