/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.style;

import dev.retryon.Retry;
import dev.retryon.RetryContext;
import dev.retryon.RetryOperation;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Methods that return a {@link Mono}, a {@link Flux} or any other type that Spring's {@link ReactiveAdapterRegistry}
 * knows, and Kotlin's {@code suspend} functions. The method is called when its result is subscribed to, once an attempt.
 * Cancelling the subscription ends the wait or the attempt in flight. The subscriber's Reactor context reaches each
 * attempt, with the {@link RetryContext} in it under its class.
 *
 * @since 0.1.0
 */
public final class ReactiveStyle implements ReturnStyle {

    /** Where gates, deciders and listeners find the subscriber's Reactor context in {@link RetryContext#attributes()}. */
    public static final String REACTOR_CONTEXT = ContextView.class.getName();

    private static final String KOTLIN_FLOW = "kotlinx.coroutines.flow.Flow";

    private final ReactiveAdapterRegistry adapters = ReactiveAdapterRegistry.getSharedInstance();

    private final ReactorThreadLocals threadLocals;

    private final boolean afterEmission;

    /**
     * Creates the style.
     *
     * @param threadLocals sets thread-locals from the Reactor context
     * @param afterEmission whether a stream that fails after it has emitted something is subscribed to again, so that its
     *     subscriber sees items twice
     */
    public ReactiveStyle(ReactorThreadLocals threadLocals, boolean afterEmission) {
        this.threadLocals = threadLocals;
        this.afterEmission = afterEmission;
    }

    @Override
    public boolean isStyleOf(Method method) {
        return KotlinDetector.isSuspendingFunction(method) || adapters.getAdapter(method.getReturnType()) != null;
    }

    @Override
    public @Nullable Object call(
            Retry retry, MethodInvocation invocation, RetryOperation<MethodInvocation, @Nullable Object> attempts) {
        Method method = invocation.getMethod();
        RetryOperation<MethodInvocation, Publisher<Object>> publishers;
        if (KotlinDetector.isSuspendingFunction(method)) {
            // Spring's proxies speak of suspend functions as publishers, and give the caller a coroutine again.
            boolean flow = KOTLIN_FLOW.equals(
                    new MethodParameter(method, -1).getParameterType().getName());
            publishers = (subject, attempt) -> publisher(attempts.run(subject, attempt));
            return flow ? many(retry, invocation, publishers) : one(retry, invocation, publishers);
        }
        ReactiveAdapter adapter = Objects.requireNonNull(adapters.getAdapter(method.getReturnType()));
        publishers = (subject, attempt) -> adapter.toPublisher(attempts.run(subject, attempt));
        return adapter.fromPublisher(
                adapter.isMultiValue() ? many(retry, invocation, publishers) : one(retry, invocation, publishers));
    }

    @SuppressWarnings("unchecked")
    private static Publisher<Object> publisher(@Nullable Object returned) {
        return returned instanceof Publisher<?> publisher ? (Publisher<Object>) publisher : Mono.justOrEmpty(returned);
    }

    private Mono<Object> one(
            Retry retry, MethodInvocation invocation, RetryOperation<MethodInvocation, Publisher<Object>> publishers) {
        return Mono.deferContextual(subscriber -> Mono.fromFuture(() -> threadLocals.with(
                subscriber,
                () -> retry.<MethodInvocation, Object>callAsync(invocation, (subject, attempt) -> {
                    RetryContext context = remember(subscriber);
                    return Mono.from(publishers.run(subject, attempt))
                            .contextWrite(subscriber)
                            .contextWrite(view -> view.put(RetryContext.class, context))
                            .toFuture();
                }))));
    }

    private Flux<Object> many(
            Retry retry, MethodInvocation invocation, RetryOperation<MethodInvocation, Publisher<Object>> publishers) {
        return Flux.deferContextual(subscriber -> {
            StreamAttempts streams = new StreamAttempts(afterEmission);
            CompletableFuture<?> call = threadLocals.with(
                    subscriber,
                    () -> retry.<MethodInvocation, Object>callAsync(invocation, (subject, attempt) -> {
                        RetryContext context = remember(subscriber);
                        return streams.next(Flux.from(publishers.run(subject, attempt))
                                .contextWrite(view -> view.put(RetryContext.class, context)));
                    }));
            return streams.until(call);
        });
    }

    private static RetryContext remember(ContextView subscriber) {
        RetryContext context = RetryContext.current();
        context.attributes().putIfAbsent(REACTOR_CONTEXT, subscriber);
        return context;
    }
}
