/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What the retried calls of an application share: listeners, deciders, error codes, time and chance, the threads of
 * asynchronous calls, and the end. Closing it ends every wait at once, with {@link StopReason#SHUTDOWN}, and no retry
 * starts after that; first attempts are still made. Thread-safe.
 *
 * <p>One daemon thread, {@value DaemonTimer#THREAD_NAME}, times the waits of asynchronous calls and the limits of attempts.
 * It is started when first needed, and goes when it has had nothing to do for ten seconds, or nothing any more after the
 * engine was closed.
 */
public final class RetryEngine implements AutoCloseable {

    private final Participants<RetryListener> listeners;

    private final Participants<RetryDecider> deciders;

    private final Participants<ErrorCodeResolver> resolvers;

    private final Participants<RetryAfterResolver> waitResolvers;

    private final Ticker ticker;

    private final Clock clock;

    private final Sleeper sleeper;

    private final RandomGenerator random;

    private final Executor executor;

    private final @Nullable ContextCapture contextCapture;

    private final RetryTimer timer;

    /** The waits that run on a timer of somebody else's; our own knows them itself. */
    private final Set<Waiting> elsewhere = ConcurrentHashMap.newKeySet();

    private final CountDownLatch closed = new CountDownLatch(1);

    private final boolean closeable;

    RetryEngine(RetryEngineBuilder builder) {
        this(builder, true);
    }

    private RetryEngine(RetryEngineBuilder builder, boolean closeable) {
        this.closeable = closeable;
        this.listeners = builder.listeners.copy();
        this.deciders = builder.deciders.copy();
        this.resolvers = builder.resolvers.copy();
        this.waitResolvers = builder.waitResolvers.copy();
        this.ticker = builder.ticker;
        this.clock = builder.clock;
        this.sleeper = builder.sleeper != null ? builder.sleeper : this::sleepUntilClosed;
        this.random = builder.random;
        this.executor = builder.executor != null ? builder.executor : commonPool();
        this.contextCapture = builder.contextCapture;
        this.timer = builder.timer != null ? builder.timer : new DaemonTimer(System::nanoTime);
    }

    private static Executor commonPool() {
        // A common pool without threads would run nothing, and says that it has one; the JDK's futures then start a
        // thread
        // for each task.
        return Integer.getInteger("java.util.concurrent.ForkJoinPool.common.parallelism", 1) > 0
                ? ForkJoinPool.commonPool()
                : new CompletableFuture<>().defaultExecutor();
    }

    /**
     * The engine of calls that name none: no listeners, real time, never closed.
     *
     * @return the one instance
     */
    public static RetryEngine shared() {
        return Shared.ENGINE;
    }

    /**
     * Starts an engine.
     *
     * @return a builder
     */
    public static RetryEngineBuilder builder() {
        return new RetryEngineBuilder();
    }

    /**
     * Ends every wait and every later retry. Asynchronous calls that wait complete before this returns. Attempts in flight
     * run on, and keep their time limits. Does nothing the second time, and never to the {@linkplain #shared() shared engine}.
     */
    @Override
    public void close() {
        if (!closeable) {
            return;
        }
        closed.countDown();
        List<Waiting> waits = timer instanceof DaemonTimer own ? own.close(Waiting.class) : List.copyOf(elsewhere);
        waits.forEach(Waiting::shutDown);
    }

    /** Made when first asked for: applications have an engine of their own. */
    private static final class Shared {

        static final RetryEngine ENGINE = new RetryEngine(builder(), false);
    }

    /** An asynchronous call that waits; as a task, what is to be done when the time has come. */
    interface Waiting extends Runnable {

        /** Ends the call, unless something else came first. */
        void shutDown();
    }

    RetryTimer.Handle schedule(Waiting wait, Duration delay) {
        if (!(timer instanceof DaemonTimer)) {
            elsewhere.add(wait);
        }
        return timer.schedule(wait, delay);
    }

    void ended(Waiting wait) {
        if (!(timer instanceof DaemonTimer)) {
            elsewhere.remove(wait);
        }
    }

    RetryTimer timer() {
        return timer;
    }

    Executor executor() {
        return executor;
    }

    /** Runs something that has to be run, on this thread if nobody else does. */
    void execute(Runnable task) {
        try {
            executor.execute(task);
        } catch (RuntimeException ex) {
            CoreLog.debug("the executor refused a task", ex);
            task.run();
        }
    }

    @Nullable ContextCapture contextCapture() {
        return contextCapture;
    }

    boolean isClosed() {
        return closed.getCount() == 0;
    }

    private void sleepUntilClosed(Duration delay) throws InterruptedException {
        boolean ended = closed.await(delay.toNanos(), TimeUnit.NANOSECONDS);
        if (ended) {
            CoreLog.debug("a wait of " + delay + " was ended by shutdown", null);
        }
    }

    Ticker ticker() {
        return ticker;
    }

    Clock clock() {
        return clock;
    }

    Sleeper sleeper() {
        return sleeper;
    }

    RandomGenerator random() {
        return random;
    }

    /** Throws if they can't be looked up, which is as if one of them threw. */
    RetryDecider[] deciders() {
        return deciders.all();
    }

    /** Those of whom none has a say that counts so much that the call should end without it. */
    private <T> T[] present(Participants<T> participants) {
        try {
            return participants.all();
        } catch (Throwable ex) {
            CoreLog.warn("the retry listeners or resolvers can't be looked up; the call goes on without them", ex);
            return participants.none();
        }
    }

    /** Whether a listener wants events of a type. */
    boolean wants(Class<? extends RetryEvent> type) {
        for (RetryListener listener : present(listeners)) {
            if (wants(listener, type)) {
                return true;
            }
        }
        return false;
    }

    boolean wants(RetryListener listener, Class<? extends RetryEvent> type) {
        try {
            return listener.wants(type);
        } catch (Throwable ex) {
            CoreLog.warn("a retry listener failed; it receives no event", ex);
            return false;
        }
    }

    void publish(RetryEvent event) {
        for (RetryListener listener : present(listeners)) {
            tell(listener, event);
        }
    }

    void tell(RetryListener listener, RetryEvent event) {
        try {
            if (listener.wants(event.getClass())) {
                listener.onEvent(event);
            }
        } catch (Throwable ex) {
            // Not the event's text: it quotes the error, and reading that may be what failed.
            CoreLog.warn(event.name() + ": a retry listener failed; the call goes on", ex);
        }
    }

    /** Asks code of the user's that has a say but may not break the call. */
    <R> @Nullable R ask(Supplier<@Nullable R> question) {
        try {
            return question.get();
        } catch (Throwable ex) {
            CoreLog.warn("a retry hint or resolver failed and is ignored", ex);
            return null;
        }
    }

    String errorCode(ErrorChain link) {
        RetryHint hint = link.hint();
        Throwable error = link.error();
        String code = hint == null ? null : ask(hint::errorCode);
        if (code != null) {
            return code;
        }
        for (ErrorCodeResolver resolver : present(resolvers)) {
            code = ask(() -> resolver.resolve(error));
            if (code != null) {
                return code;
            }
        }
        return error.getClass().getName();
    }

    /** What the error, or its nearest cause that says something, wants to be waited; never negative. */
    @Nullable Duration retryAfter(@Nullable ErrorChain chain) {
        RetryAfterResolver[] asked = present(waitResolvers);
        for (ErrorChain next = chain; next != null; next = next.cause()) {
            RetryHint hint = next.hint();
            Duration wish = hint == null ? null : wish(hint::retryAfter);
            Throwable error = next.error();
            for (int i = 0; wish == null && i < asked.length; i++) {
                RetryAfterResolver resolver = asked[i];
                wish = wish(() -> resolver.retryAfter(error));
            }
            if (wish != null) {
                return wish;
            }
        }
        return null;
    }

    private @Nullable Duration wish(Supplier<@Nullable Duration> question) {
        Duration wish = ask(question);
        return wish == null || wish.isNegative() ? null : wish;
    }

    /** A gate or decider failed: it must not hide the error that it was asked about. */
    void suppress(RetryCall call, Throwable fault, @Nullable Throwable original) {
        if (original == null) {
            CoreLog.warn(call.name() + ": a gate or decider failed, the call is not retried", fault);
        } else if (fault != original) {
            original.addSuppressed(fault);
        }
    }
}
