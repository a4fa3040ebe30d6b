/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Builds an engine. Not thread-safe.
 *
 * @since 0.1.0
 */
public final class RetryEngineBuilder {

    private static final Ticker SYSTEM_TICKER = System::nanoTime;

    private static final Clock SYSTEM_CLOCK = Clock.systemUTC();

    final Participants<RetryListener> listeners = new Participants<>(RetryListener.class);

    final Participants<RetryDecider> deciders = new Participants<>(RetryDecider.class);

    final Participants<ErrorCodeResolver> resolvers = new Participants<>(ErrorCodeResolver.class);

    final Participants<RetryAfterResolver> waitResolvers = new Participants<>(RetryAfterResolver.class);

    Ticker ticker = SYSTEM_TICKER;

    Clock clock = SYSTEM_CLOCK;

    @Nullable Sleeper sleeper;

    RandomGenerator random = () -> ThreadLocalRandom.current().nextLong();

    @Nullable Executor executor;

    @Nullable ContextCapture contextCapture;

    @Nullable RetryTimer timer;

    @Nullable DeadLetterQueue deadLetters;

    @Nullable RetryFaultListener faultListener;

    RetryEngineBuilder() {}

    /**
     * Adds a listener. Listeners are called in the order added.
     *
     * @param listener the listener
     * @return this builder
     */
    public RetryEngineBuilder listener(RetryListener listener) {
        listeners.add(Objects.requireNonNull(listener, "listener"));
        return this;
    }

    /**
     * Adds listeners that are looked up when the first is needed, at the first failure.
     *
     * @param later supplies the listeners; called again after it has thrown, which is logged and does not fail the call
     * @return this builder
     */
    public RetryEngineBuilder listeners(Supplier<? extends List<? extends RetryListener>> later) {
        listeners.addAll(later);
        return this;
    }

    /**
     * Adds a decider. Deciders are asked in the order added.
     *
     * @param decider the decider
     * @return this builder
     */
    public RetryEngineBuilder decider(RetryDecider decider) {
        deciders.add(Objects.requireNonNull(decider, "decider"));
        return this;
    }

    /**
     * Adds deciders that are looked up when the first is needed, at the first failure.
     *
     * @param later supplies the deciders; called again after it has thrown, which ends the call as a decider that throws does
     * @return this builder
     */
    public RetryEngineBuilder deciders(Supplier<? extends List<? extends RetryDecider>> later) {
        deciders.addAll(later);
        return this;
    }

    /**
     * Adds a source of error codes. The error's own {@link RetryHint} comes first, then the first source that returns a code.
     *
     * @param resolver the resolver
     * @return this builder
     */
    public RetryEngineBuilder errorCodeResolver(ErrorCodeResolver resolver) {
        resolvers.add(Objects.requireNonNull(resolver, "resolver"));
        return this;
    }

    /**
     * Adds sources of error codes that are looked up when the first is needed, after a failure.
     *
     * @param later supplies the resolvers; called again after it has thrown, which is logged and counts as no answer
     * @return this builder
     */
    public RetryEngineBuilder errorCodeResolvers(Supplier<? extends List<? extends ErrorCodeResolver>> later) {
        resolvers.addAll(later);
        return this;
    }

    /**
     * Adds a source of the waits that errors ask for. The error's own {@link RetryHint} comes first, then the first source that
     * returns a wait.
     *
     * @param resolver the resolver
     * @return this builder
     */
    public RetryEngineBuilder retryAfterResolver(RetryAfterResolver resolver) {
        waitResolvers.add(Objects.requireNonNull(resolver, "resolver"));
        return this;
    }

    /**
     * Adds sources of the waits that errors ask for, which are looked up when the first is needed, after a failure.
     *
     * @param later supplies the resolvers; called again after it has thrown, which is logged and counts as no answer
     * @return this builder
     */
    public RetryEngineBuilder retryAfterResolvers(Supplier<? extends List<? extends RetryAfterResolver>> later) {
        waitResolvers.addAll(later);
        return this;
    }

    /**
     * Sets where elapsed time is read. Default {@link System#nanoTime()}.
     *
     * @param ticker monotonic time
     * @return this builder
     */
    public RetryEngineBuilder ticker(Ticker ticker) {
        this.ticker = Objects.requireNonNull(ticker, "ticker");
        return this;
    }

    /**
     * Sets the clock for the time of day in events and deadlines. Default the system's clock, which events read once a second
     * if the {@link #ticker} is the system's too: in between their time follows from the ticker.
     *
     * @param clock the clock
     * @return this builder
     */
    public RetryEngineBuilder clock(Clock clock) {
        this.clock = Objects.requireNonNull(clock, "clock");
        return this;
    }

    /**
     * Sets what waits in blocking calls. Default a wait that {@link RetryEngine#close()} ends.
     *
     * @param sleeper the sleeper
     * @return this builder
     */
    public RetryEngineBuilder sleeper(Sleeper sleeper) {
        this.sleeper = Objects.requireNonNull(sleeper, "sleeper");
        return this;
    }

    /**
     * Sets the source of random numbers for jitter. Default {@link ThreadLocalRandom}.
     *
     * @param random a thread-safe source
     * @return this builder
     */
    public RetryEngineBuilder random(RandomGenerator random) {
        this.random = Objects.requireNonNull(random, "random");
        return this;
    }

    /**
     * Sets what runs the attempts of asynchronous calls after the first. Default {@link ForkJoinPool#commonPool()}. Set an
     * executor of your own if attempts block before they return their stage, or need a context class loader. If it refuses
     * a task, the call ends with {@link StopReason#REJECTED}. It is not shut down with the engine.
     *
     * @param executor the executor
     * @return this builder
     */
    public RetryEngineBuilder executor(Executor executor) {
        this.executor = Objects.requireNonNull(executor, "executor");
        return this;
    }

    /**
     * Sets what carries thread-locals of the caller of an asynchronous call to its later attempts. Default none.
     *
     * @param contextCapture asked once a call, on the caller's thread
     * @return this builder
     */
    public RetryEngineBuilder contextCapture(ContextCapture contextCapture) {
        this.contextCapture = Objects.requireNonNull(contextCapture, "contextCapture");
        return this;
    }

    /**
     * Sets what times the waits of asynchronous calls and the limits of attempts. Default a daemon thread of the engine. With a
     * timer of your own, attempts whose time is over are ended on the {@linkplain #executor executor}, and an executor that
     * runs tasks on the thread of its caller makes attempts on the timer's thread.
     *
     * @param timer the timer; it is not stopped with the engine, but its waits are ended
     * @return this builder
     */
    public RetryEngineBuilder timer(RetryTimer timer) {
        this.timer = Objects.requireNonNull(timer, "timer");
        return this;
    }

    /**
     * Sets what keeps calls that have failed for good. Default nothing: a call that is to be kept is then logged as lost.
     *
     * @param deadLetters the queue
     * @return this builder
     */
    public RetryEngineBuilder deadLetters(DeadLetterQueue deadLetters) {
        this.deadLetters = Objects.requireNonNull(deadLetters, "deadLetters");
        return this;
    }

    /**
     * Sets the listener for faults beside the calls. Default none: the first fault of a kind is logged.
     *
     * @param faultListener the listener
     * @return this builder
     */
    public RetryEngineBuilder faultListener(RetryFaultListener faultListener) {
        this.faultListener = Objects.requireNonNull(faultListener, "faultListener");
        return this;
    }

    /** Whether clock and ticker are the system's. */
    @SuppressWarnings("ReferenceEquality")
    boolean isSystemTime() {
        return clock == SYSTEM_CLOCK && ticker == SYSTEM_TICKER;
    }

    /**
     * Builds the engine.
     *
     * @return the engine
     */
    public RetryEngine build() {
        return new RetryEngine(this);
    }
}
