/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.http;

import dev.retryon.RetryContext;
import dev.retryon.RetryOperation;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/** One request, its attempts, and the response that nobody has been given yet. */
final class ReactiveExchange implements RetryOperation<ClientRequest, CompletionStage<ClientResponse>> {

    /** Where gates, deciders and listeners find the subscriber's Reactor context in {@link RetryContext#attributes()}. */
    private static final String REACTOR_CONTEXT = ContextView.class.getName();

    private final HttpRetry http;

    private final ExchangeFunction next;

    private final ContextView subscriber;

    private final AtomicReference<@Nullable ClientResponse> open = new AtomicReference<>();

    /** What is left of the response of the attempt before, once that was released. */
    private volatile @Nullable ClientResponse released;

    ReactiveExchange(HttpRetry http, ExchangeFunction next, ContextView subscriber) {
        this.http = http;
        this.next = next;
        this.subscriber = subscriber;
    }

    Mono<ClientResponse> send(ClientRequest request) {
        return Mono.fromFuture(() -> http.retry().callAsync(request, this))
                .onErrorResume(RetryableResponseException.class, this::last)
                .doOnNext(response -> open.set(null))
                .doOnError(error -> release())
                .doOnCancel(this::release);
    }

    @Override
    public CompletableFuture<ClientResponse> run(ClientRequest request, int attempt) {
        // Released before the wait, but for one that came too late, when its attempt had been given up.
        release();
        RetryContext context = RetryContext.current();
        context.attributes().putIfAbsent(REACTOR_CONTEXT, subscriber);
        return next.exchange(request)
                .flatMap(this::check)
                .contextWrite(subscriber)
                .contextWrite(view -> view.put(RetryContext.class, context))
                .toFuture();
    }

    /**
     * Fails the attempt if its response is to be retried. Deferred, because an operator that fails by itself cancels what it
     * is subscribed to, and that would close the body, which may yet be the caller's.
     */
    private Mono<ClientResponse> check(ClientResponse response) {
        open.set(response);
        RetryableResponseException refusal =
                http.refuse(response.statusCode(), response.headers().asHttpHeaders(), this::release);
        return refusal == null ? Mono.just(response) : Mono.defer(() -> Mono.error(refusal));
    }

    private Mono<ClientResponse> last(RetryableResponseException refusal) {
        http.swallow(refusal);
        ClientResponse unread = open.getAndSet(null);
        return Mono.justOrEmpty(unread != null ? unread : released);
    }

    private void release() {
        ClientResponse response = open.getAndSet(null);
        if (response != null) {
            released = released(response);
        }
    }

    /** Reads a response's body, in which its connection is given back, and answers with what is left. */
    private static ClientResponse released(ClientResponse response) {
        HttpStatusCode status = response.statusCode();
        Mono<byte[]> body = DataBufferUtils.join(response.bodyToFlux(DataBuffer.class), ReleasedResponse.LONGEST_BODY)
                .map(ReactiveExchange::bytes)
                // Too long, or it broke off: the rest is of no interest, and the connection is closed.
                .onErrorComplete()
                .cache();
        body.subscribe();
        return ClientResponse.create(status, response.strategies())
                .request(response.request())
                .headers(headers -> headers.addAll(response.headers().asHttpHeaders()))
                .cookies(cookies -> cookies.addAll(response.cookies()))
                .body(Flux.from(body).map(DefaultDataBufferFactory.sharedInstance::wrap))
                .build();
    }

    private static byte[] bytes(DataBuffer buffer) {
        try {
            byte[] bytes = new byte[buffer.readableByteCount()];
            buffer.read(bytes);
            return bytes;
        } finally {
            DataBufferUtils.release(buffer);
        }
    }
}
