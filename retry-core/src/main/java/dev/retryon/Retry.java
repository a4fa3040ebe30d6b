/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.lang.ref.WeakReference;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Runs calls under a {@link RetryPolicy}. Immutable and thread-safe; made once and kept.
 *
 * <p>Blocking calls are run on the caller's thread, which also waits between attempts; {@link #callAsync asynchronous}
 * ones hold no thread while they wait. The caller gets the last attempt's own exception, never a wrapper; a {@link
 * RetryHistory} is suppressed in it.
 *
 * @since 0.1.0
 */
public final class Retry {

    private final CallSettings settings;

    private final @Nullable LongAdder successes;

    /** Whether a call that succeeds at once is nothing but its attempt. */
    private final boolean plain;

    /** What first attempts leave in the {@link CallFrame}. */
    private final WeakReference<CallFrame.Source> mark;

    Retry(CallSettings settings) {
        this.settings = settings;
        this.successes = settings.successes();
        this.plain = settings.isPlain();
        this.mark = settings.mark();
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
        return new RetryBuilder(settings.with(Objects.requireNonNull(other, "policy")));
    }

    /**
     * The name of what is called.
     *
     * @return the name
     */
    public String name() {
        return settings.name();
    }

    CallSettings settings() {
        return settings;
    }

    /**
     * The policy that calls run under.
     *
     * @return the policy
     */
    public RetryPolicy policy() {
        return settings.policy();
    }

    /**
     * How many calls are waiting for their next attempt at this moment, including those of retries that were made
     * {@linkplain #toBuilder from this one}.
     *
     * @return zero or more
     */
    public long waiting() {
        return settings.waiting();
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
        return (T) this.<RetryCallable<?, ?>, @Nullable Object, E>run(callable, (call, attempt) -> call.call());
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
        this.<RetryRunnable<?>, @Nullable Object, E>run(runnable, (run, attempt) -> {
            run.run();
            return null;
        });
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
        return this.<S, T, Throwable>run(subject, operation);
    }

    /**
     * Calls, retries what fails, and returns the outcome instead of throwing.
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
     * Calls, retries what fails, and returns the outcome instead of throwing. For frameworks that intercept calls.
     *
     * @param <S> what the call is about
     * @param <T> the value's type
     * @param subject what the call is about
     * @param operation the call
     * @return the value or the exception, and what it took; an {@link Error} is thrown
     */
    public <S, T extends @Nullable Object> RetryResult<T> execute(S subject, RetryOperation<S, T> operation) {
        RetryResult<T> result = outcome(subject, operation);
        if (result.error() instanceof Error serious) {
            throw serious;
        }
        return result;
    }

    /** The outcome of a call, whatever it ended with. */
    <S, T extends @Nullable Object> RetryResult<T> outcome(S subject, RetryOperation<S, T> operation) {
        RetryCall resumed = settings.resumed();
        RetryCall call = resumed != null ? resumed : RetryCall.begin(settings);
        try {
            return call.result(this.<S, T, RuntimeException>run(subject, operation, call), null);
        } catch (Throwable ex) {
            return call.result(null, ex);
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
        return AsyncRetry.start(settings, callable, (call, attempt) -> call.call());
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
        return AsyncRetry.start(settings, subject, operation);
    }

    private <S, T extends @Nullable Object, X extends Throwable> @Nullable T run(
            S subject, RetryOperation<S, T> operation) throws X {
        return run(subject, operation, plain ? null : settings.resumed());
    }

    /**
     * Makes the first attempt, and the others if it fails. On the path of a call that succeeds at once nothing is
     * allocated, no clock is read and no lock is taken.
     *
     * @param known the call's state, if it is wanted whatever happens
     */
    private <S, T extends @Nullable Object, X extends Throwable> @Nullable T run(
            S subject, RetryOperation<S, T> operation, @Nullable RetryCall known) throws X {
        @Nullable Object[] frame = CallFrame.get();
        Object outer = CallFrame.enter(frame, plain && known == null ? mark : settings.entered(known));
        try {
            @Nullable T value = null;
            Throwable thrown = null;
            try {
                // Not in a method of its own: an error thrown through a frame more costs some 100 ns.
                value = plain
                        ? operation.run(subject, 1)
                        : AttemptLimit.run(settings, operation, subject, known == null ? 1 : known.attempt());
                if (plain
                        || settings.policy().retryIf() == null
                        || callIn(frame).accepts(subject, value)) {
                    if (known != null) {
                        settings.ended(known, false);
                    }
                    if (known != null && known.attempt() > 1) {
                        known.publishSuccess();
                    } else if (successes != null) {
                        successes.increment();
                    }
                    return value;
                }
            } catch (Throwable ex) {
                thrown = ex;
            }
            RetryCall call = callIn(frame);
            BlockingRetry<S, T> retry = new BlockingRetry<>(call, subject, operation);
            retry.goOn(frame, outer, value, thrown);
            return retry.<X>result();
        } finally {
            CallFrame.leave(frame, outer);
        }
    }

    /** The state of a call whose first attempt has ended. */
    private RetryCall callIn(@Nullable Object[] frame) {
        RetryCall call = (RetryCall) CallFrame.known(frame);
        if (call == null) {
            call = new RetryCall(settings);
            CallFrame.become(frame, call);
        }
        return call;
    }

    @Override
    public String toString() {
        return settings.name() + ": " + settings.policy();
    }
}
