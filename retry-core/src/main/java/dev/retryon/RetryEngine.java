/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What the retried calls of an application share: listeners, deciders, error codes, time, randomness and the threads of
 * asynchronous calls. Closing the engine ends every wait at once, with {@link StopReason#SHUTDOWN}, and no retry starts after
 * that; first attempts are still made. Thread-safe.
 *
 * <p>One daemon thread, {@value DaemonTimer#THREAD_NAME}, times the waits of asynchronous calls and the limits of attempts.
 * It is started when first needed. It ends when it has had nothing to do for ten seconds or, after the engine was closed,
 * when the last limited attempt has ended. No attempt runs on it. A few daemon threads, {@value EngineWorkers#THREAD_NAME},
 * end attempts whose time is over, and calls at shutdown; they end after a second without work.
 *
 * @since 0.1.0
 */
public final class RetryEngine implements AutoCloseable {

    /** How long shutdown waits for the ends of calls. */
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(10);

    private final Faults faults;

    private final Listeners listeners;

    private final Participants<RetryDecider> deciders;

    private final ErrorCodes errorCodes;

    private final RequestedDelays requestedDelays;

    private final Ticker ticker;

    private final Clock clock;

    private final TimeOfDay timeOfDay;

    private final Sleeper sleeper;

    private final RandomGenerator random;

    private final Executor executor;

    private final @Nullable ContextCapture contextCapture;

    private final @Nullable DeadLetterQueue deadLetters;

    private final RetryTimer timer;

    private final PendingRetries pending;

    private final BlockingWaits blockingWaits = new BlockingWaits();

    private final EngineWorkers workers;

    private final boolean closeable;

    private volatile boolean closed;

    RetryEngine(RetryEngineBuilder builder) {
        this(builder, true);
    }

    private RetryEngine(RetryEngineBuilder builder, boolean closeable) {
        this.closeable = closeable;
        this.faults = new Faults(builder.faultListener);
        this.listeners = new Listeners(builder.listeners.copy(), faults);
        this.deciders = builder.deciders.copy();
        this.errorCodes = new ErrorCodes(builder.resolvers.copy(), faults);
        this.requestedDelays = new RequestedDelays(builder.waitResolvers.copy(), faults);
        this.ticker = builder.ticker;
        this.clock = builder.clock;
        this.timeOfDay = new TimeOfDay(clock, ticker, builder.isSystemTime());
        this.sleeper = builder.sleeper != null ? builder.sleeper : blockingWaits;
        this.random = builder.random;
        this.executor = builder.executor != null ? builder.executor : commonPool();
        this.contextCapture = builder.contextCapture;
        this.deadLetters = builder.deadLetters;
        this.timer = builder.timer != null ? builder.timer : new DaemonTimer(System::nanoTime);
        this.pending = new PendingRetries(timer, faults);
        // The shared engine outlives the application that happened to need it first.
        this.workers =
                new EngineWorkers(faults, closeable ? Thread.currentThread().getContextClassLoader() : null);
    }

    /** The common pool, unless it has no threads: then a new thread for each task, as the JDK's futures do it. */
    static Executor commonPool() {
        // Such a pool runs nothing, though it reports a parallelism of 1.
        return Integer.getInteger("java.util.concurrent.ForkJoinPool.common.parallelism", 1) > 0
                ? ForkJoinPool.commonPool()
                : new CompletableFuture<>().defaultExecutor();
    }

    /**
     * Returns the engine of calls for which none is set. It has no listeners, runs in real time and is never closed.
     *
     * @return the one instance
     */
    public static RetryEngine shared() {
        return Shared.ENGINE;
    }

    /**
     * Starts building an engine.
     *
     * @return a builder
     */
    public static RetryEngineBuilder builder() {
        return new RetryEngineBuilder();
    }

    /**
     * Ends every wait and every later retry. First all waits end, those of blocking calls too; then the asynchronous calls
     * that waited, or whose next attempt was queued in the executor, complete with their last error or their recovery's
     * result. They do so on a few threads of the engine, together with what depends on their futures. This method waits until
     * they have, but for ten seconds at most, and not for stages that recoveries return. An interrupt ends the waiting and
     * leaves the flag set. Attempts in flight run on, and keep their time limits. Does nothing the second time, and never to
     * the {@linkplain #shared() shared engine}.
     */
    @Override
    public void close() {
        if (!closeable) {
            return;
        }
        closed = true;
        blockingWaits.close();
        workers.runAll(
                pending.close().stream().<Runnable>map(call -> call::shutDown).toList(), LONGEST_CLOSE);
    }

    /** Made when first asked for: applications have an engine of their own. */
    private static final class Shared {

        static final RetryEngine ENGINE = new RetryEngine(builder(), false);
    }

    /** The asynchronous calls that wait for their next attempt. */
    PendingRetries pending() {
        return pending;
    }

    RetryTimer timer() {
        return timer;
    }

    Executor executor() {
        return executor;
    }

    /**
     * Runs a task that a timer has started, on another thread. For the engine's own timer that is one of its workers, because
     * on the executor the task would queue behind the attempts; for a lent timer, which may be one of virtual time, it is the
     * executor.
     */
    void elsewhere(Runnable task) {
        if (DaemonTimer.isCurrentThread()) {
            workers.execute(task);
            return;
        }
        try {
            executor.execute(task);
        } catch (Throwable ex) {
            workers.execute(task);
        }
    }

    @Nullable ContextCapture contextCapture() {
        return contextCapture;
    }

    /**
     * Where calls are kept that have failed for good.
     *
     * @return the queue, or {@code null} if there is none
     */
    public @Nullable DeadLetterQueue deadLetters() {
        return deadLetters;
    }

    /**
     * Whether it is closed, so that there are no retries any more.
     *
     * @return {@code true} once {@link #close} was called
     */
    public boolean isClosed() {
        return closed;
    }

    Ticker ticker() {
        return ticker;
    }

    Clock clock() {
        return clock;
    }

    /** The time of day of events. */
    TimeOfDay timeOfDay() {
        return timeOfDay;
    }

    /** Waits on this thread; the engine's own wait ends early if the switch is turned off. */
    void sleep(Duration delay, @Nullable RetrySwitch retrySwitch) throws InterruptedException {
        if (sleeper == blockingWaits) {
            blockingWaits.sleep(delay, retrySwitch);
        } else {
            sleeper.sleep(delay);
        }
    }

    /** Ends the waits of calls that a switch has turned off. */
    void endWaits(RetrySwitch retrySwitch) {
        blockingWaits.end(retrySwitch);
        for (PendingRetry wait : pending.claim(retrySwitch)) {
            workers.execute(wait::switchOff);
        }
    }

    RandomGenerator random() {
        return random;
    }

    /** Throws if the deciders can't be looked up, which counts as a decider that throws. */
    RetryDecider[] deciders() {
        return deciders.all();
    }

    Faults faults() {
        return faults;
    }

    Listeners listeners() {
        return listeners;
    }

    ErrorCodes errorCodes() {
        return errorCodes;
    }

    RequestedDelays requestedDelays() {
        return requestedDelays;
    }
}
