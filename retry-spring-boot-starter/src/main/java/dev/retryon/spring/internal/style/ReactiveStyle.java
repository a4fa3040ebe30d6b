// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.style;

import dev.retryon.AttemptScope;
import dev.retryon.ContextCapture;
import dev.retryon.Retry;
import dev.retryon.RetryContext;
import dev.retryon.RetryOperation;
import dev.retryon.spring.ReturnStyle;
import dev.retryon.spring.module.HandoverBackend.AdaptableStyle;
import dev.retryon.spring.module.HandoverBackend.DeferredInvocation;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Methods that return a type of Spring's {@link ReactiveAdapterRegistry}, such as {@link Mono} or {@link Flux}, and Kotlin's
 * {@code suspend} functions. Each attempt calls the method on subscription. Cancelling the subscription ends the wait or the
 * attempt in flight. The subscriber's Reactor context, with the {@link RetryContext} under its class, reaches each attempt.
 */
final class ReactiveStyle implements AdaptableStyle {

    /** The key of the subscriber's Reactor context in {@link RetryContext#attributes()}. */
    static final String REACTOR_CONTEXT = ContextView.class.getName();

    static final Function<ContextView, ContextCapture.Scope> NO_THREAD_LOCALS = subscriber -> () -> {};

    private static final String KOTLIN_FLOW = "kotlinx.coroutines.flow.Flow";

    private final ReactiveAdapterRegistry adapters = ReactiveAdapterRegistry.getSharedInstance();

    private final Function<ContextView, ContextCapture.Scope> threadLocals;

    private final boolean afterEmission;

    /** Whether the caller's thread waits for the attempts. */
    private final boolean held;

    ReactiveStyle(Function<ContextView, ContextCapture.Scope> threadLocals, boolean afterEmission, boolean held) {
        this.threadLocals = threadLocals;
        this.afterEmission = afterEmission;
        this.held = held;
    }

    /** Returns the style for workers. Nothing subscribes to the result, so the attempts run during the call. */
    @Override
    public ReturnStyle held() {
        return new ReactiveStyle(threadLocals, afterEmission, true);
    }

    @Override
    public boolean isStyleOf(Method method) {
        if (KotlinDetector.isSuspendingFunction(method)) {
            return true;
        }
        ReactiveAdapter adapter = adapters.getAdapter(method.getReturnType());
        // Not for a subtype, which the adapter cannot create.
        return adapter != null && method.getReturnType().isAssignableFrom(adapter.getReactiveType());
    }

    @Override
    public boolean hasManyValues(Method method) {
        return KotlinDetector.isSuspendingFunction(method)
                ? returnsFlow(method)
                : adapter(method).isMultiValue();
    }

    private ReactiveAdapter adapter(Method method) {
        return Objects.requireNonNull(adapters.getAdapter(method.getReturnType()));
    }

    private static boolean returnsFlow(Method suspending) {
        return KOTLIN_FLOW.equals(
                new MethodParameter(suspending, -1).getParameterType().getName());
    }

    @Override
    public @Nullable Object call(
            Retry retry, MethodInvocation invocation, RetryOperation<MethodInvocation, @Nullable Object> attempts)
            throws Throwable {
        Method method = invocation.getMethod();
        if (KotlinDetector.isSuspendingFunction(method)) {
            // Spring's proxies accept publishers for suspend functions, and give the caller a coroutine again.
            Attempts publishers = new Attempts(
                    (subject, attempt) -> attempts.run(CoroutineAttempt.in(subject), attempt),
                    ReactiveStyle::publisher);
            return call(retry, invocation, publishers, returnsFlow(method));
        }
        ReactiveAdapter adapter = adapter(method);
        Attempts publishers = new Attempts(attempts, adapter::toPublisher);
        return adapter.fromPublisher(call(retry, invocation, publishers, adapter.isMultiValue()));
    }

    private Publisher<Object> call(Retry retry, MethodInvocation invocation, Attempts attempts, boolean isMany)
            throws Throwable {
        if (held) {
            return Mono.justOrEmpty(waited(retry, invocation, attempts));
        }
        return isMany ? many(retry, invocation, attempts) : one(retry, invocation, attempts);
    }

    /** Runs all attempts on this thread, which waits for each of them. */
    @SuppressWarnings("NullAway") // T admits null
    private static @Nullable Object waited(Retry retry, MethodInvocation invocation, Attempts attempts)
            throws Throwable {
        return retry.<ConvertedInvocation, @Nullable Object>call(
                new ConvertedInvocation(invocation, recovered -> last(attempts.publisher(recovered))),
                (subject, attempt) -> last(attempts.run(subject, attempt)));
    }

    private static @Nullable Object last(Publisher<Object> publisher) throws Throwable {
        return DeferredInvocation.await(single(Flux.from(publisher).takeLast(1).next(), Context.empty()));
    }

    @SuppressWarnings("unchecked")
    private static Publisher<Object> publisher(@Nullable Object returned) {
        return returned instanceof Publisher<?> publisher ? (Publisher<Object>) publisher : Mono.justOrEmpty(returned);
    }

    private Mono<Object> one(Retry retry, MethodInvocation invocation, Attempts attempts) {
        return Mono.deferContextual(subscriber -> Mono.fromFuture(
                () -> begin(retry, invocation, attempts, subscriber, publisher -> single(publisher, subscriber))));
    }

    private Flux<Object> many(Retry retry, MethodInvocation invocation, Attempts attempts) {
        return Flux.deferContextual(subscriber -> {
            StreamAttempts streams = new StreamAttempts(afterEmission);
            return streams.until(begin(
                    retry, invocation, attempts, subscriber, publisher -> stream(streams, publisher, subscriber)));
        });
    }

    /** Begins a call; {@code subscribe} subscribes to the publisher that an attempt or the recovery has returned. */
    @SuppressWarnings("FutureReturnValueIgnored") // the engine waits for the converted result of a recovery
    private CompletableFuture<Object> begin(
            Retry retry,
            MethodInvocation invocation,
            Attempts attempts,
            ContextView subscriber,
            Function<Publisher<Object>, CompletableFuture<Object>> subscribe) {
        try (ContextCapture.Scope scope = threadLocals.apply(subscriber)) {
            return retry.<ConvertedInvocation, Object>callAsync(
                    new ConvertedInvocation(invocation, recovered -> subscribe.apply(attempts.publisher(recovered))),
                    (subject, attempt) -> {
                        remember(subscriber); // also if the method throws instead of returning a publisher
                        return subscribe.apply(attempts.run(subject, attempt));
                    });
        }
    }

    private static CompletableFuture<Object> single(Publisher<Object> publisher, ContextView subscriber) {
        RetryContext context = remember(subscriber);
        return Mono.from(publisher)
                .contextWrite(subscriber)
                .contextWrite(view -> view.put(RetryContext.class, context))
                .toFuture();
    }

    private CompletableFuture<@Nullable Object> stream(
            StreamAttempts streams, Publisher<Object> publisher, ContextView subscriber) {
        RetryContext context = remember(subscriber);
        // Streams can be subscribed to on other threads, and the first stream only after the engine has begun the
        // call.
        Publisher<Object> attempt = actual -> {
            try (AttemptScope scope = AttemptScope.open(context);
                    ContextCapture.Scope values = threadLocals.apply(subscriber)) {
                publisher.subscribe(actual);
            }
        };
        return streams.next(attempt, view -> view.put(RetryContext.class, context));
    }

    private static RetryContext remember(ContextView subscriber) {
        RetryContext context = RetryContext.current();
        context.attributes().putIfAbsent(REACTOR_CONTEXT, subscriber);
        return context;
    }

    private record Attempts(
            RetryOperation<MethodInvocation, @Nullable Object> operation,
            Function<@Nullable Object, Publisher<Object>> conversion) {

        Publisher<Object> run(ConvertedInvocation invocation, int attempt) throws Throwable {
            return publisher(operation.run(invocation.original(), attempt));
        }

        Publisher<Object> publisher(@Nullable Object returned) {
            return conversion.apply(returned);
        }
    }
}
