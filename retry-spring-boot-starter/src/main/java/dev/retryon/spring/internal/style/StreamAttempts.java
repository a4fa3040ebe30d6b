// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.style;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.concurrent.Queues;
import reactor.util.context.Context;

/**
 * The streams of one call's attempts, joined into one stream. An attempt has ended for the engine when its stream has
 * emitted. From then on, the subscriber receives the stream and its error, if there is one.
 */
final class StreamAttempts {

    /** Accepts streams from any thread: an attempt can begin while another thread subscribes to the last stream. */
    private final Sinks.Many<Flux<Object>> streams = Sinks.unsafe()
            .many()
            .unicast()
            .onBackpressureBuffer(Queues.<Flux<Object>>unboundedMultiproducer().get());

    private final boolean afterEmission;

    /** The result of the latest attempt; {@code null} before the first. */
    private volatile @Nullable Attempt latest;

    StreamAttempts(boolean afterEmission) {
        this.afterEmission = afterEmission;
    }

    /** Adds an attempt's stream. Returns a future that completes when the engine knows the outcome of the attempt. */
    CompletableFuture<@Nullable Object> next(Publisher<Object> stream, Function<Context, Context> context) {
        Attempt attempt = new Attempt();
        latest = attempt;
        Flux<Object> watched = Flux.from(stream)
                .contextWrite(context)
                .doOnNext(item -> attempt.emitted(afterEmission))
                .doOnComplete(() -> attempt.outcome.complete(null))
                .onErrorResume(error -> attempt.outcome.completeExceptionally(error) ? Flux.empty() : Flux.error(error))
                .takeUntilOther(cancelled(attempt.outcome));
        streams.tryEmitNext(watched).orThrow();
        return attempt.outcome;
    }

    /** Returns a stream of the attempts' items until the call is over. Cancelling the stream cancels the call. */
    Flux<Object> until(CompletableFuture<?> call) {
        CompletableFuture<?> ended = call.whenComplete((value, error) -> {
            if (error == null) {
                streams.tryEmitComplete();
            } else if (!call.isCancelled()) {
                streams.tryEmitError(error);
            }
        });
        return streams.asFlux().concatMap(stream -> stream, 0).doOnCancel(() -> {
            Attempt attempt = latest;
            if (attempt != null && attempt.isEnough()) {
                // The subscriber has the items that it requested, so the call has succeeded.
                return;
            }
            call.cancel(true);
            ended.cancel(true);
        });
    }

    /** Signals that the engine has given an attempt up, because it took too long. */
    @SuppressWarnings("FutureReturnValueIgnored") // the sink receives the outcome
    private static Mono<Object> cancelled(CompletableFuture<?> outcome) {
        return Mono.create(sink -> outcome.whenComplete((value, error) -> {
            if (outcome.isCancelled()) {
                sink.success(true);
            }
        }));
    }

    private static final class Attempt {

        private final CompletableFuture<@Nullable Object> outcome = new CompletableFuture<>();

        private volatile boolean emitted;

        /** Returns whether the attempt has succeeded, because it has emitted an item and has not failed since. */
        boolean isEnough() {
            return emitted && (outcome.complete(null) || !outcome.isCompletedExceptionally());
        }

        void emitted(boolean goesOn) {
            if (!emitted) {
                emitted = true;
                if (!goesOn) {
                    outcome.complete(null);
                }
            }
        }
    }
}
