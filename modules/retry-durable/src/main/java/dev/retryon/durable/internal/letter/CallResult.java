// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/** What a method has returned: a value, or something that will have one. */
final class CallResult {

    private CallResult() {}

    /**
     * Returns the stage that ends with a call, and subscribes to a publisher. Waits for a future that is no stage.
     *
     * @return {@code null} if the call has ended
     * @throws Throwable the error of the call
     */
    static @Nullable CompletionStage<?> later(@Nullable Object result) throws Throwable {
        if (result instanceof CompletionStage<?> stage) {
            return stage;
        }
        if (result instanceof Future<?> future) {
            await(future);
            return null;
        }
        ReactiveAdapter adapter = result == null
                ? null
                : ReactiveAdapterRegistry.getSharedInstance().getAdapter(null, result);
        return adapter == null ? null : Published.subscribe(adapter.toPublisher(result));
    }

    private static void await(Future<?> future) throws Throwable {
        try {
            future.get();
        } catch (ExecutionException ex) {
            Throwable cause = ex.getCause();
            throw cause != null ? cause : ex;
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw ex;
        }
    }

    /** Returns the error of a call whose stage has failed with an error; {@code null} for {@code null}. */
    static @Nullable Throwable cause(@Nullable Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }

    /** Apart, because its types need not be there. */
    private static final class Published extends CompletableFuture<@Nullable Void> implements Subscriber<Object> {

        static CompletableFuture<@Nullable Void> subscribe(Publisher<Object> publisher) {
            Published end = new Published();
            publisher.subscribe(end);
            return end;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(Object item) {}

        @Override
        public void onError(Throwable error) {
            completeExceptionally(error);
        }

        @Override
        public void onComplete() {
            complete(null);
        }
    }
}
