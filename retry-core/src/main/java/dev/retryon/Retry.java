/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import dev.retryon.budget.RetryBudget;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs calls under a {@link RetryPolicy}. Immutable and thread-safe; made once and kept.
 *
 * <p>Blocking calls are run on the caller's thread, which also waits between attempts; {@link #callAsync asynchronous}
 * ones hold no thread while they wait. The caller gets the last attempt's own exception, never a wrapper; a {@link
 * RetryHistory} is suppressed in it.
 */
public final class Retry {

    private final String name;

    private final RetryPolicy policy;

    private final RetryEngine engine;

    private final @Nullable RetryRecovery<Object, @Nullable Object> recovery;

    private final @Nullable LongAdder successes;

    private final @Nullable RetryListener listener;

    private final @Nullable Function<Object, CallSubject> subjects;

    private final boolean timed;

    /** Whether a call that succeeds at once is nothing but its attempt: no clock, no budget, no limit, no value to test. */
    private final boolean plain;

    private final AtomicBoolean strategyFaultLogged = new AtomicBoolean();

    private final LongAdder waiting;

    /** What first attempts leave in the {@link CallFrame}, where it may stay: so it must not keep anything alive. */
    private final WeakReference<Retry> mark = new WeakReference<>(this);

    Retry(RetryBuilder builder) {
        this.name = builder.name;
        this.policy = builder.policy;
        this.engine = builder.engine != null ? builder.engine : RetryEngine.shared();
        this.recovery = builder.recovery;
        this.successes = builder.successes;
        this.waiting = builder.waiting != null ? builder.waiting : new LongAdder();
        this.listener = builder.listener;
        this.subjects = builder.subjects;
        this.timed = builder.timed || policy.timeout() != null;
        this.plain = !timed && policy.attemptTimeout() == null && policy.budget() == null && policy.retryIf() == null;
    }

    /**
     * Runs calls under a policy, with the {@linkplain RetryEngine#shared() shared engine}.
     *
     * @param name what is called, for events and messages; not blank
     * @param policy the policy
     * @return a retry
     * @throws IllegalArgumentException if the name is blank
     */
    public static Retry of(String name, RetryPolicy policy) {
        return builder(name, policy).build();
    }

    /**
     * Starts a retry with more than a name and a policy.
     *
     * @param name what is called, for events and messages; not blank
     * @param policy the policy
     * @return a builder
     * @throws IllegalArgumentException if the name is blank
     */
    public static RetryBuilder builder(String name, RetryPolicy policy) {
        return new RetryBuilder(name, policy);
    }

    /**
     * Starts a retry from this one, with another policy.
     *
     * @param other the policy
     * @return a builder with the rest of this retry's settings
     */
    public RetryBuilder toBuilder(RetryPolicy other) {
        RetryBuilder builder = new RetryBuilder(name, other);
        builder.engine = engine;
        builder.recovery = recovery;
        builder.successes = successes;
        builder.waiting = waiting;
        builder.listener = listener;
        builder.subjects = subjects;
        builder.timed = timed;
        return builder;
    }

    /**
     * The name of what is called.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * The policy that calls run under.
     *
     * @return the policy
     */
    public RetryPolicy policy() {
        return policy;
    }

    /**
     * How many calls are waiting for their next attempt at this moment, those included of retries that share the {@linkplain
     * RetryBuilder#countWaiting counter}.
     *
     * @return zero or more
     */
    public long waiting() {
        return waiting.sum();
    }

    RetryEngine engine() {
        return engine;
    }

    /**
     * Calls, and retries what fails.
     *
     * @param <T> the value's type
     * @param <E> the checked exception that the call throws
     * @param callable the call
     * @return the value of the attempt that succeeded
     * @throws E what the last attempt threw
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // null only where T admits it
    public <T extends @Nullable Object, E extends Exception> T call(RetryCallable<T, E> callable) throws E {
        return (T) this.<RetryCallable<?, ?>, @Nullable Object, E>run(callable, (call, attempt) -> call.call(), null);
    }

    /**
     * Runs, and retries what fails.
     *
     * @param <E> the checked exception that the call throws
     * @param runnable the call
     * @throws E what the last attempt threw
     */
    @SuppressWarnings("NullAway") // null is what running returns
    public <E extends Exception> void run(RetryRunnable<E> runnable) throws E {
        this.<RetryRunnable<?>, @Nullable Object, E>run(
                runnable,
                (run, attempt) -> {
                    run.run();
                    return null;
                },
                null);
    }

    /**
     * Calls, and retries what fails. For frameworks that intercept calls.
     *
     * @param <S> what the call is about
     * @param <T> the value's type
     * @param subject what the call is about
     * @param operation the call
     * @return the value of the attempt that succeeded
     * @throws Throwable what the last attempt threw
     */
    @SuppressWarnings("NullAway") // null only where T admits it
    public <S, T extends @Nullable Object> T call(S subject, RetryOperation<S, T> operation) throws Throwable {
        return this.<S, T, Throwable>run(subject, operation, null);
    }

    /**
     * Calls, retries what fails, and tells how it went instead of throwing.
     *
     * @param <T> the value's type
     * @param callable the call
     * @return the value or the exception, and what it took; an {@link Error} is thrown
     */
    @SuppressWarnings("unchecked")
    public <T extends @Nullable Object> RetryResult<T> execute(RetryCallable<T, ?> callable) {
        return (RetryResult<T>)
                this.<RetryCallable<?, ?>, @Nullable Object>execute(callable, (call, attempt) -> call.call());
    }

    /**
     * Calls, retries what fails, and tells how it went instead of throwing. For frameworks that intercept calls.
     *
     * @param <S> what the call is about
     * @param <T> the value's type
     * @param subject what the call is about
     * @param operation the call
     * @return the value or the exception, and what it took; an {@link Error} is thrown
     */
    public <S, T extends @Nullable Object> RetryResult<T> execute(S subject, RetryOperation<S, T> operation) {
        RetryCall call = RetryCall.begin(this);
        try {
            return RetryResult.of(call, this.<S, T, RuntimeException>run(subject, operation, call), null);
        } catch (Exception ex) {
            return RetryResult.of(call, null, ex);
        }
    }

    /**
     * Calls what returns its value later, and retries what fails, without holding a thread while it waits. Never throws:
     * whatever goes wrong, the future completes.
     *
     * <p>An attempt fails if its stage does, if it throws before it has returned one, or if it returns {@code null}. The first
     * attempt is made on this thread, later ones on the engine's {@linkplain RetryEngineBuilder#executor executor}; {@link
     * RetryContext#current()} is for the code that runs until the stage is returned. {@code retryIf} is asked about the stage's
     * value. An interrupt flag does not end the call. A recovery may return a value or a stage of one.
     *
     * <p>The future fails with the last attempt's own exception, out of any {@code CompletionException}. If the first attempt
     * has succeeded at once and was a {@code CompletableFuture}, that one is returned. Cancelling the future (or completing it,
     * as {@code orTimeout} does) ends the call: the wait, or the attempt in flight, whose stage is cancelled.
     *
     * @param <T> the value's type
     * @param callable the call
     * @return the value of the attempt that succeeded
     */
    public <T extends @Nullable Object> CompletableFuture<T> callAsync(
            RetryCallable<? extends CompletionStage<T>, ?> callable) {
        return AsyncRetry.start(this, callable, (call, attempt) -> call.call());
    }

    /**
     * Calls what returns its value later, as {@link #callAsync(RetryCallable)} does. For frameworks that intercept calls.
     *
     * @param <S> what the call is about
     * @param <T> the value's type
     * @param subject what the call is about
     * @param operation the call
     * @return the value of the attempt that succeeded
     */
    public <S, T extends @Nullable Object> CompletableFuture<T> callAsync(
            S subject, RetryOperation<S, ? extends CompletionStage<T>> operation) {
        return AsyncRetry.start(this, subject, operation);
    }

    /**
     * Makes the first attempt, and the others if it fails. On the path of a call that succeeds at once nothing is
     * allocated, no clock is read and no lock is taken.
     *
     * @param known the call's state, if it is wanted whatever happens
     */
    private <S, T extends @Nullable Object, X extends Throwable> @Nullable T run(
            S subject, RetryOperation<S, T> operation, @Nullable RetryCall known) throws X {
        CallFrame frame = CallFrame.get();
        Object outer = frame.enter(plain && known == null ? mark : entered(known));
        try {
            @Nullable T value = null;
            Throwable thrown = null;
            try {
                // Not in a method of its own: an error thrown through a frame more costs some 100 ns.
                value = plain ? operation.run(subject, 1) : AttemptLimit.run(this, operation, subject, 1);
                if (plain || policy.retryIf() == null || frame.call().accepts(subject, value)) {
                    countSuccess();
                    return value;
                }
            } catch (Throwable ex) {
                thrown = ex;
            }
            BlockingRetry<S, T> retry = new BlockingRetry<>(frame.call(), subject, operation);
            retry.goOn(frame, value, thrown);
            return retry.<X>result();
        } finally {
            frame.leave(outer);
        }
    }

    /** What has to be done before the first attempt; answers what to leave in the {@link CallFrame}. */
    Object entered(@Nullable RetryCall known) {
        RetryBudget budget = policy.budget();
        if (budget != null) {
            budget.deposit();
        }
        return known != null ? known : timed ? RetryCall.begin(this) : mark;
    }

    void countSuccess() {
        if (successes != null) {
            successes.increment();
        }
    }

    void countWaiting(int change) {
        waiting.add(change);
    }

    @Nullable RetryRecovery<Object, @Nullable Object> recovery() {
        return recovery;
    }

    @Nullable RetryListener listener() {
        return listener;
    }

    CallSubject describe(Object subject) {
        return subjects == null ? CallSubject.of(name, subject) : subjects.apply(subject);
    }

    Duration backoffDelay(RetryCall call) {
        return policy.delay(call.attempt(), call.previousDelay(), engine.random(), fault -> {
            if (strategyFaultLogged.compareAndSet(false, true)) {
                CoreLog.warn(
                        name + ": backoff " + policy.backoff() + " failed, so the base delay of " + policy.delay()
                                + " is used (logged once)",
                        fault);
            }
        });
    }

    @Override
    public String toString() {
        return name + ": " + policy;
    }
}
