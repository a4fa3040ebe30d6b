// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Publishers that end the observation of their attempt, and have it in their Reactor context. Needs Reactor. */
final class ObservedPublisher {

    private ObservedPublisher() {}

    /** Returns a publisher of the same type; {@code null} if the value is not a publisher, or not of a usual type. */
    static @Nullable Object of(Object returned, Class<?> type, ObservedAttempt attempt) {
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(null, returned);
        if (adapter == null || !type.isAssignableFrom(adapter.getReactiveType())) {
            return null;
        }
        Publisher<Object> source = adapter.toPublisher(returned);
        return adapter.fromPublisher(adapter.isMultiValue() ? many(source, attempt) : one(source, attempt));
    }

    private static Mono<Object> one(Publisher<Object> source, ObservedAttempt attempt) {
        return Mono.from(source)
                .doOnSuccess(value -> attempt.end(null))
                .doOnError(attempt::end)
                .doOnCancel(() -> attempt.end(new CancellationException()))
                .contextWrite(context -> context.put(ObservationThreadLocalAccessor.KEY, attempt.observation()));
    }

    /** A subscriber that cancels after it has received items has received enough. */
    private static Flux<Object> many(Publisher<Object> source, ObservedAttempt attempt) {
        AtomicBoolean emitted = new AtomicBoolean();
        return Flux.from(source)
                .doOnNext(item -> emitted.lazySet(true))
                .doOnComplete(() -> attempt.end(null))
                .doOnError(attempt::end)
                .doOnCancel(() -> attempt.end(emitted.get() ? null : new CancellationException()))
                .contextWrite(context -> context.put(ObservationThreadLocalAccessor.KEY, attempt.observation()));
    }
}
