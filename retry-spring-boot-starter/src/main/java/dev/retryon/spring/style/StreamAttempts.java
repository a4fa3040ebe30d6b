/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.style;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The streams of one call's attempts, one after the other, as one stream. An attempt is over for the engine once its
 * stream has emitted: from then on the stream is the subscriber's, with its error if it has one.
 */
final class StreamAttempts {

    private final Sinks.Many<Flux<Object>> streams = Sinks.many().unicast().onBackpressureBuffer();

    private final boolean afterEmission;

    /**
     * Creates an empty one.
     *
     * @param afterEmission whether an attempt goes on until its stream ends, and may fail after it has emitted
     */
    StreamAttempts(boolean afterEmission) {
        this.afterEmission = afterEmission;
    }

    /** Adds an attempt's stream; answers with what tells the engine how the attempt went. */
    CompletableFuture<@Nullable Object> next(Flux<Object> stream) {
        CompletableFuture<@Nullable Object> outcome = new CompletableFuture<>();
        Flux<Object> watched = stream.doOnComplete(() -> outcome.complete(null))
                .onErrorResume(error -> outcome.completeExceptionally(error) ? Flux.empty() : Flux.error(error))
                .takeUntilOther(cancelled(outcome));
        streams.tryEmitNext(afterEmission ? watched : watched.doOnNext(item -> outcome.complete(null)))
                .orThrow();
        return outcome;
    }

    /** Everything that the attempts emit, until the call is over; cancelling it cancels the call. */
    Flux<Object> until(CompletableFuture<?> call) {
        CompletableFuture<?> ended = call.whenComplete((value, error) -> {
            if (error == null) {
                streams.tryEmitComplete();
            } else if (!call.isCancelled()) {
                streams.tryEmitError(error);
            }
        });
        return streams.asFlux().concatMap(stream -> stream, 0).doOnCancel(() -> {
            call.cancel(true);
            ended.cancel(true);
        });
    }

    /** Signals that the engine has given an attempt up, for it took too long. */
    @SuppressWarnings("FutureReturnValueIgnored") // the sink is told
    private static Mono<Object> cancelled(CompletableFuture<?> outcome) {
        return Mono.create(sink -> outcome.whenComplete((value, error) -> {
            if (outcome.isCancelled()) {
                sink.success(true);
            }
        }));
    }
}
