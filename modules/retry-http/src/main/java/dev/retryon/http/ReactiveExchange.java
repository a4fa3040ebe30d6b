// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import dev.retryon.RetryContext;
import dev.retryon.RetryOperation;
import io.micrometer.observation.Observation;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientRequestObservationContext;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.Disposable;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/** One request, its attempts, and the response that the caller does not have yet. */
final class ReactiveExchange implements RetryOperation<ClientRequest, CompletionStage<ClientResponse>> {

    /** The key of the subscriber's Reactor context in {@link RetryContext#attributes()}. */
    private static final String REACTOR_CONTEXT = ContextView.class.getName();

    /** The key under which a {@code WebClient} stores its observation in the Reactor context of its filters. */
    private static final String OBSERVATION = ObservationThreadLocalAccessor.KEY;

    private final HttpRetry http;

    private final ExchangeFunction next;

    private final ContextView subscriber;

    private final AtomicReference<@Nullable ClientResponse> open = new AtomicReference<>();

    /** The rejected response before the current wait, whose connection was released. */
    private volatile @Nullable ClientResponse released;

    private volatile @Nullable CompletableFuture<byte[]> draining;

    private volatile boolean cancelled;

    ReactiveExchange(HttpRetry http, ExchangeFunction next, ContextView subscriber) {
        this.http = http;
        this.next = next;
        this.subscriber = subscriber;
    }

    Mono<ClientResponse> send(ClientRequest request) {
        return Mono.fromFuture(() -> http.retry().callAsync(request, this))
                .onErrorResume(RetryableResponseException.class, this::last)
                .doOnNext(response -> open.set(null))
                .doOnError(error -> discard())
                .doOnCancel(this::cancel);
    }

    private void cancel() {
        cancelled = true;
        CompletableFuture<byte[]> reading = draining;
        if (reading != null) {
            reading.cancel(true);
        }
        discard();
    }

    @Override
    public CompletableFuture<ClientResponse> run(ClientRequest request, int attempt) {
        // Rejected responses are released before the wait. An open response arrived after its attempt had timed out.
        discard();
        if (attempt > 1
                && subscriber.getOrDefault(OBSERVATION, null) instanceof Observation observation
                && observation.getContextView() instanceof ClientRequestObservationContext) {
            ResendCount.set(observation, attempt);
        }
        RetryContext context = RetryContext.current();
        context.attributes().putIfAbsent(REACTOR_CONTEXT, subscriber);
        String headerOfCallId = http.rules().headerToGenerate(request.method(), request.headers());
        ClientRequest sent = headerOfCallId == null
                ? request
                : ClientRequest.from(request)
                        .header(headerOfCallId, context.callId())
                        .build();
        return next.exchange(sent)
                .flatMap(this::check)
                .contextWrite(subscriber)
                .contextWrite(view -> view.put(RetryContext.class, context))
                .toFuture();
    }

    /**
     * Fails the attempt if its response must be retried. The failure is deferred, because an operator that fails by itself
     * cancels its source. That would close the body, which the caller might still receive.
     */
    private Mono<ClientResponse> check(ClientResponse response) {
        open.set(response);
        if (cancelled) {
            // The response arrived while the subscriber cancelled.
            discard();
        }
        RetryableResponseException refusal =
                http.refuse(response.statusCode(), response.headers().asHttpHeaders(), this::release);
        return refusal == null ? Mono.just(response) : Mono.defer(() -> Mono.error(refusal));
    }

    private Mono<ClientResponse> last(RetryableResponseException refusal) {
        ClientResponse unread = open.getAndSet(null);
        return Mono.justOrEmpty(unread != null ? unread : released);
    }

    private void release(Duration time) {
        ClientResponse response = open.getAndSet(null);
        if (response != null) {
            CompletableFuture<byte[]> body = drain(response, time);
            draining = body;
            released = released(response, body);
            if (cancelled) {
                body.cancel(true);
            }
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the body is not needed
    private void discard() {
        ClientResponse response = open.getAndSet(null);
        if (response != null) {
            drain(response, Duration.ZERO);
        }
    }

    /** Reads a body to make its connection reusable. Closes the connection if the body is too long or too slow. */
    private static CompletableFuture<byte[]> drain(ClientResponse response, Duration time) {
        AtomicReference<@Nullable Subscription> reading = new AtomicReference<>();
        CompletableFuture<byte[]> body = DataBufferUtils.join(
                        response.bodyToFlux(DataBuffer.class)
                                .doOnSubscribe(reading::set)
                                .doOnCancel(() -> abort(reading.get())),
                        ResponseDrain.LONGEST_BODY)
                .doOnDiscard(DataBuffer.class, DataBufferUtils::release)
                .map(ReactiveExchange::bytes)
                .toFuture();
        // Limited from outside, so that the whole chain is connected before it can be cancelled.
        return Mono.fromFuture(body)
                .timeout(time.isNegative() ? Duration.ZERO : time)
                .onErrorComplete()
                .toFuture();
    }

    /**
     * Ends the shared subscription under a body, if one exists. Spring caches the bodies of the JDK's client, so cancelling
     * only the body leaves the connection open.
     */
    private static void abort(@Nullable Subscription reading) {
        Scannable.from(reading)
                .parents()
                .filter(source -> source instanceof Disposable && !(source instanceof Subscription))
                .forEach(source -> ((Disposable) source).dispose());
    }

    private static ClientResponse released(ClientResponse response, CompletableFuture<byte[]> body) {
        HttpStatusCode status = response.statusCode();
        return ClientResponse.create(status, response.strategies())
                .request(response.request())
                .headers(headers -> headers.addAll(response.headers().asHttpHeaders()))
                .cookies(cookies -> cookies.addAll(response.cookies()))
                .body(Flux.from(Mono.fromFuture(body, true)).map(DefaultDataBufferFactory.sharedInstance::wrap))
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
