/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.letter;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/** Waits for what a method has returned: a value, or something that will have one. */
final class CallResult {

    private CallResult() {}

    /**
     * Reports the end of a call.
     *
     * @param result what the method has returned
     * @param here receives the error, or {@code null}, on this thread
     * @param elsewhere receives it on the thread that completes the result
     */
    @SuppressWarnings("FutureReturnValueIgnored") // the receivers do not throw
    static void whenDone(
            @Nullable Object result, Consumer<@Nullable Throwable> here, Consumer<@Nullable Throwable> elsewhere) {
        if (result instanceof CompletionStage<?> stage) {
            stage.whenComplete((value, error) -> elsewhere.accept(
                    error instanceof CompletionException && error.getCause() != null ? error.getCause() : error));
            return;
        }
        if (result instanceof Future<?> future) {
            here.accept(await(future));
            return;
        }
        ReactiveAdapter adapter = result == null
                ? null
                : ReactiveAdapterRegistry.getSharedInstance().getAdapter(null, result);
        if (adapter == null) {
            here.accept(null);
        } else {
            Published.subscribe(adapter.toPublisher(result), elsewhere);
        }
    }

    private static @Nullable Throwable await(Future<?> future) {
        try {
            future.get();
            return null;
        } catch (ExecutionException ex) {
            return ex.getCause() != null ? ex.getCause() : ex;
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return ex;
        } catch (RuntimeException ex) {
            return ex;
        }
    }

    /** Apart, because its types need not be there. */
    private static final class Published implements Subscriber<Object> {

        private final Consumer<@Nullable Throwable> end;

        private Published(Consumer<@Nullable Throwable> end) {
            this.end = end;
        }

        static void subscribe(Publisher<Object> publisher, Consumer<@Nullable Throwable> end) {
            publisher.subscribe(new Published(end));
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(Object item) {}

        @Override
        public void onError(Throwable error) {
            end.accept(error);
        }

        @Override
        public void onComplete() {
            end.accept(null);
        }
    }
}
