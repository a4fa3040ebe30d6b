// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link RetryEngine}. Not thread-safe.
 *
 * @see RetryEngine#builder()
 *
 * @since 0.1.0
 */
public final class RetryEngineBuilder {

    final Participants<RetryListener> listeners = new Participants<>();

    final Participants<RetryDecider> deciders = new Participants<>();

    final Participants<RetryHintResolver> resolvers = new Participants<>();

    @Nullable RetryTime time;

    RandomGenerator random = () -> ThreadLocalRandom.current().nextLong();

    @Nullable Executor executor;

    @Nullable ContextCapture contextCapture;

    final List<Function<? super RetryContext, ContextCapture.@Nullable Scope>> aroundRetries = new ArrayList<>();

    Predicate<? super RetryContext> rollbackOnly = call -> false;

    @Nullable DeadLetterQueue deadLetters;

    @Nullable ExtensionErrorListener extensionErrorListener;

    RetryEngineBuilder() {}

    /**
     * Adds a listener. Listeners are called in the order in which they were added.
     *
     * @param listener the listener
     * @return this builder
     */
    public RetryEngineBuilder listener(RetryListener listener) {
        listeners.add(Objects.requireNonNull(listener, "listener"));
        return this;
    }

    /**
     * Adds listeners that are looked up at the first failure.
     *
     * @param later supplies the listeners. If the supplier throws an exception, the exception is logged, the call
     *     continues, and the supplier runs again later
     * @return this builder
     */
    public RetryEngineBuilder listeners(Supplier<? extends List<? extends RetryListener>> later) {
        listeners.addAll(later);
        return this;
    }

    /**
     * Adds a decider. Deciders are called in the order in which they were added.
     *
     * @param decider the decider
     * @return this builder
     */
    public RetryEngineBuilder decider(RetryDecider decider) {
        deciders.add(Objects.requireNonNull(decider, "decider"));
        return this;
    }

    /**
     * Adds deciders that are looked up at the first failure.
     *
     * @param later supplies the deciders. If the supplier throws an exception, the call is not retried, and the
     *     supplier runs again later
     * @return this builder
     */
    public RetryEngineBuilder deciders(Supplier<? extends List<? extends RetryDecider>> later) {
        deciders.addAll(later);
        return this;
    }

    /**
     * Adds a resolver of hints, which are error codes and the delays that errors request. The {@link RetryHint} of the
     * error is used first, and then the resolvers in the order in which they were added.
     *
     * @param resolver the resolver
     * @return this builder
     */
    public RetryEngineBuilder hintResolver(RetryHintResolver resolver) {
        resolvers.add(Objects.requireNonNull(resolver, "resolver"));
        return this;
    }

    /**
     * Adds resolvers of hints that are looked up at the first failure.
     *
     * @param later supplies the resolvers. If the supplier throws an exception, the exception is logged, the call
     *     continues without them, and the supplier runs again later
     * @return this builder
     */
    public RetryEngineBuilder hintResolvers(Supplier<? extends List<? extends RetryHintResolver>> later) {
        resolvers.addAll(later);
        return this;
    }

    /**
     * Sets the source of time. This source measures elapsed time and the time of day, and controls the waits of
     * blocking calls, the delays of asynchronous calls and the time limits of attempts. The default is the system's
     * time. Its tasks run on a daemon thread of the engine, and {@link RetryEngine#close()} ends its waits.
     *
     * <p>With a custom time, closing the engine does not end the waits of blocking calls. Attempts that exceed their
     * limit are ended on the {@linkplain #executor executor}. If this executor runs tasks on the calling thread,
     * attempts run on the thread that runs the scheduled tasks.
     *
     * @param time the time
     * @return this builder
     */
    public RetryEngineBuilder time(RetryTime time) {
        this.time = Objects.requireNonNull(time, "time");
        return this;
    }

    /**
     * Sets the source of random numbers for jitter. The default is {@link ThreadLocalRandom}.
     *
     * @param random a thread-safe source
     * @return this builder
     */
    public RetryEngineBuilder random(RandomGenerator random) {
        this.random = Objects.requireNonNull(random, "random");
        return this;
    }

    /**
     * Sets the executor, which runs the later attempts of asynchronous calls. The default is
     * {@link ForkJoinPool#commonPool()}. Set your own executor if attempts block before they return their stage, or if
     * they require a context class loader. If the executor rejects a task, the call ends with
     * {@link StopReason#REJECTED}. The engine does not shut down the executor.
     *
     * @param executor the executor
     * @return this builder
     */
    public RetryEngineBuilder executor(Executor executor) {
        this.executor = Objects.requireNonNull(executor, "executor");
        return this;
    }

    /**
     * Sets the hook that copies thread-locals of the caller to the later attempts of an asynchronous call. By default,
     * no hook is set.
     *
     * @param contextCapture captures the context, once per call and on the caller's thread
     * @return this builder
     */
    public RetryEngineBuilder contextCapture(ContextCapture contextCapture) {
        this.contextCapture = Objects.requireNonNull(contextCapture, "contextCapture");
        return this;
    }

    /**
     * Adds a hook that surrounds each attempt after the first one, for example to add its number to a log context.
     * Hooks are called in the order in which they were added, and their scopes are closed in the reverse order.
     *
     * <p>The hook is called on the thread of the attempt, before {@link BeforeRetry}. The scope is closed on that
     * thread when the attempt has returned or thrown an exception. An asynchronous attempt has returned when it has
     * returned its stage. An exception of the hook is reported and has no effect on the call.
     *
     * @param aroundRetries opens a scope for an attempt, or returns {@code null}
     * @return this builder
     */
    public RetryEngineBuilder aroundRetries(
            Function<? super RetryContext, ContextCapture.@Nullable Scope> aroundRetries) {
        this.aroundRetries.add(Objects.requireNonNull(aroundRetries, "aroundRetries"));
        return this;
    }

    /**
     * Sets the check that reports whether the caller's transaction is marked for rollback. If the transaction is
     * marked, a failed call ends with {@link StopReason#ROLLBACK_ONLY}, because nothing that another attempt does could
     * be committed. The check runs on the thread on which the attempt failed. Calls whose retries are stored are not
     * checked. By default, no transaction counts as marked.
     *
     * @param rollbackOnly returns {@code true} to end the call; if it throws an exception, the call continues
     * @return this builder
     */
    public RetryEngineBuilder rollbackOnly(Predicate<? super RetryContext> rollbackOnly) {
        this.rollbackOnly = Objects.requireNonNull(rollbackOnly, "rollbackOnly");
        return this;
    }

    /**
     * Sets the queue that keeps calls that have failed permanently. By default, no queue is set, and a call that should
     * be kept is logged as lost.
     *
     * @param deadLetters the queue
     * @return this builder
     */
    public RetryEngineBuilder deadLetters(DeadLetterQueue deadLetters) {
        this.deadLetters = Objects.requireNonNull(deadLetters, "deadLetters");
        return this;
    }

    /**
     * Sets the listener for exceptions of extensions, such as listeners and gates. By default, no listener is set, and
     * each kind of exception is logged once.
     *
     * @param extensionErrorListener the listener
     * @return this builder
     */
    public RetryEngineBuilder extensionErrorListener(ExtensionErrorListener extensionErrorListener) {
        this.extensionErrorListener = Objects.requireNonNull(extensionErrorListener, "extensionErrorListener");
        return this;
    }

    /** {@return a new engine with the settings of this builder} */
    public RetryEngine build() {
        return new RetryEngine(this, true);
    }
}
