// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs calls under a {@link RetryPolicy}. A retry is immutable and thread-safe. Create it once and reuse it.
 *
 * <pre>{@code
 * RetryPolicy policy = RetryPolicy.builder().retryOn(IOException.class).maxAttempts(5).build();
 * Retry retry = Retry.of("catalogue", policy);
 *
 * String body = retry.call(() -> client.get(uri));
 * CompletableFuture<String> later = retry.callAsync(() -> client.getAsync(uri));
 * }</pre>
 *
 * <p>Blocking calls run on the caller's thread, which also waits between attempts. {@link #callAsync Asynchronous}
 * calls hold no thread while they wait. The caller receives the exception of the last attempt, never a wrapper. A
 * {@link RetryHistory} of the earlier attempts is suppressed in that exception.
 *
 * @since 0.1.0
 */
public final class Retry {

    private final CallSettings settings;

    /** Supplies the retry that runs the calls; {@code null} if this one runs them itself. */
    private final @Nullable Supplier<Retry> current;

    private final @Nullable LongAdder successes;

    /** Whether a call that succeeds immediately consists of its attempt alone. */
    private final boolean plain;

    Retry(CallSettings settings) {
        this(settings, null);
    }

    private Retry(CallSettings settings, @Nullable Supplier<Retry> current) {
        this.settings = settings;
        this.current = current;
        this.successes = settings.successes();
        this.plain = settings.isPlain();
    }

    /**
     * Creates a retry that uses the {@linkplain RetryEngine#shared() shared engine}.
     *
     * @param name the name of the call in events and messages; not blank
     * @param policy the policy
     * @return a retry
     * @throws IllegalArgumentException if the name is blank
     */
    public static Retry of(String name, RetryPolicy policy) {
        return builder(name, policy).build();
    }

    /**
     * Returns a retry that runs each call with the retry that is current when the call begins. Later changes do not
     * affect running calls, or retries that are built from this one, for example by {@link #toBuilder}. This method is
     * for frameworks whose settings change at run time.
     *
     * @param current supplies the current retry. The supplier runs for each call, so it must be fast and must not throw
     *     an exception
     * @return a retry that follows the supplied retries
     */
    public static Retry following(Supplier<Retry> current) {
        return new Retry(current.get().settings, current);
    }

    private Retry now() {
        return current == null ? this : current.get().now();
    }

    /**
     * {@return a builder for a retry with more settings, such as an engine, a recovery or a listener}
     *
     * @param name the name of the call in events and messages; not blank
     * @param policy the policy
     * @throws IllegalArgumentException if the name is blank
     */
    public static RetryBuilder builder(String name, RetryPolicy policy) {
        return new RetryBuilder(name, policy);
    }

    /**
     * {@return a builder with the settings of this retry and the given policy}
     *
     * @param other the policy of the new retry
     */
    public RetryBuilder toBuilder(RetryPolicy other) {
        return new RetryBuilder(settings(), other);
    }

    /** {@return the name of the call} */
    public String name() {
        return settings.name();
    }

    CallSettings settings() {
        return now().settings;
    }

    /** {@return the policy} */
    public RetryPolicy policy() {
        return settings().policy();
    }

    /**
     * {@return the number of calls that are currently waiting for their next attempt, zero or more}
     *
     * <p>Calls of retries that were {@linkplain #toBuilder built from this one} are included.
     */
    public long waiting() {
        return settings().waiting().sum();
    }

    /**
     * Runs a call and retries it if it fails.
     *
     * @param <T> the value's type
     * @param <E> the checked exception that the call throws
     * @param callable runs one attempt
     * @return the value of the successful attempt
     * @throws E the exception of the last attempt
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // null only where T admits it
    public <T extends @Nullable Object, E extends Exception> T call(RetryCallable<T, E> callable) throws E {
        return (T) now().<RetryCallable<?, ?>, @Nullable Object, E>run(callable, (call, attempt) -> call.call());
    }

    /**
     * Runs a call and retries it if it fails. If all attempts fail, a recovery returns the value.
     *
     * <pre>{@code
     * String page = retry.callOrRecover(() -> client.get(uri), (error, context) -> cache.get(uri));
     * }</pre>
     *
     * @param <T> the value's type
     * @param <E> the checked exception that the call throws
     * @param callable runs one attempt
     * @param recovery returns the value after a retryable failure, or after a failure that
     *     {@link RetryPolicyBuilder#recoverOn} lists. It receives the error of the last attempt and the context of the
     *     call. If the recovery throws an exception, the caller receives it, with the error of the last attempt
     *     suppressed in it
     * @return the value of the successful attempt or of the recovery
     * @throws E the exception of the last attempt, if the recovery does not run
     * @see RetryRecovery
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // null only where T admits it
    public <T extends @Nullable Object, E extends Exception> T callOrRecover(
            RetryCallable<T, E> callable, BiFunction<? super Throwable, ? super RetryContext, ? extends T> recovery)
            throws E {
        Objects.requireNonNull(recovery, "recovery");
        Retry retry = now();
        return (T) retry.<RetryCallable<?, ?>, @Nullable Object, E>run(
                callable, (call, attempt) -> call.call(), retry.opened(callable), recovery);
    }

    /**
     * Runs a call without a result and retries it if it fails.
     *
     * @param <E> the checked exception that the call throws
     * @param runnable runs one attempt
     * @throws E the exception of the last attempt
     */
    @SuppressWarnings("NullAway") // null is what running returns
    public <E extends Exception> void run(RetryRunnable<E> runnable) throws E {
        now().<RetryRunnable<?>, @Nullable Object, E>run(runnable, (run, attempt) -> {
            run.run();
            return null;
        });
    }

    /**
     * Runs a call with a subject and retries it if it fails. This method is for frameworks that intercept calls.
     *
     * @param <S> the type of the subject
     * @param <T> the value's type
     * @param subject the subject of the call, for gates, deciders and listeners
     * @param operation runs one attempt
     * @return the value of the successful attempt
     * @throws Throwable the exception of the last attempt
     */
    @SuppressWarnings("NullAway") // null only where T admits it
    public <S, T extends @Nullable Object> T call(S subject, RetryOperation<S, T> operation) throws Throwable {
        return now().<S, T, Throwable>run(subject, operation);
    }

    /**
     * Runs a call, retries it if it fails, and returns the outcome instead of throwing an exception.
     *
     * @param <T> the value's type
     * @param callable runs one attempt
     * @return the value or the exception, with the number of attempts. An {@link Error} is still thrown
     */
    @SuppressWarnings("unchecked")
    public <T extends @Nullable Object> RetryResult<T> capture(RetryCallable<T, ?> callable) {
        RetryResult<T> result = (RetryResult<T>)
                this.<RetryCallable<?, ?>, @Nullable Object>capture(callable, (call, attempt) -> call.call());
        if (result.error() instanceof Error serious) {
            throw serious;
        }
        return result;
    }

    /**
     * Runs a call with a subject, retries it if it fails, and returns the outcome instead of throwing an exception.
     * Unlike {@link #capture(RetryCallable)}, this method also returns an {@link Error}. This method is for frameworks
     * that intercept calls.
     *
     * @param <S> the type of the subject
     * @param <T> the value's type
     * @param subject the subject of the call, for gates, deciders and listeners
     * @param operation runs one attempt
     * @return the value or the error, with the number of attempts
     */
    public <S, T extends @Nullable Object> RetryResult<T> capture(S subject, RetryOperation<S, T> operation) {
        Retry retry = now();
        RetryCall opened = retry.settings.opened(subject);
        RetryCall call = opened != null ? opened : RetryCall.begin(retry.settings);
        try {
            return call.result(retry.<S, T, RuntimeException>run(subject, operation, call, null), null);
        } catch (Throwable ex) {
            return call.result(null, ex);
        }
    }

    /**
     * Runs an asynchronous call and retries it if its stage fails. No thread is held while waiting. This method never
     * throws an exception, because every failure completes the future.
     *
     * <p>An attempt fails if its stage fails, if it throws an exception before it returns a stage, or if it returns
     * {@code null}. The first attempt runs on this thread. Later attempts run on the engine's
     * {@linkplain RetryEngineBuilder#executor executor}. {@link RetryContext#current()} is available until the attempt
     * has returned its stage. {@code retryIf} receives the value of the stage. An interrupt of the thread does not end
     * the call. A recovery can return a value or a stage.
     *
     * <p>The future fails with the exception of the last attempt, without a {@code CompletionException} around it. If
     * the first attempt returns a {@code CompletableFuture} that has already succeeded, this method returns that
     * future. If you cancel the future or complete it, as {@code orTimeout} does, the call ends. The wait then stops,
     * and the stage of a running attempt is cancelled.
     *
     * @param <T> the value's type
     * @param callable runs one attempt
     * @return the value of the successful attempt
     */
    public <T extends @Nullable Object> CompletableFuture<T> callAsync(
            RetryCallable<? extends CompletionStage<T>, ?> callable) {
        return AsyncRetry.start(settings(), callable, (call, attempt) -> call.call());
    }

    /**
     * Runs an asynchronous call with a subject. See {@link #callAsync(RetryCallable)}. This method is for frameworks
     * that intercept calls.
     *
     * @param <S> the type of the subject
     * @param <T> the value's type
     * @param subject the subject of the call, for gates, deciders and listeners
     * @param operation runs one attempt
     * @return the value of the successful attempt
     */
    public <S, T extends @Nullable Object> CompletableFuture<T> callAsync(
            S subject, RetryOperation<S, ? extends CompletionStage<T>> operation) {
        return AsyncRetry.start(settings(), subject, operation);
    }

    /**
     * Returns a retry that continues a stored call. The next call that runs with the returned retry is the next attempt
     * of the stored call, with its id, attempt number and start time. This method is for modules that store calls.
     *
     * <p>If the attempt fails, the usual rules decide whether it is retried. If the attempt is retried and this retry
     * {@linkplain RetryBuilder#handOver hands calls over}, the call is handed over again. Otherwise, the returned retry
     * runs the remaining attempts itself. An interrupted attempt counts as failed.
     *
     * <p>If the call fails permanently, it is kept as a dead letter, because no caller receives the error. The call is
     * deleted instead if its error has {@link RetryDirective#DISCARD}, or if it is durable and its policy has
     * {@link ExhaustionAction#DISCARD}.
     *
     * @param state the stored state
     * @param waited the time since the last attempt
     * @param lease returns whether this process still {@linkplain RetryContext#leaseValid() has the lease} of the call
     * @return a retry for this one call
     */
    public Retry resume(CallState state, Duration waited, BooleanSupplier lease) {
        RetryBuilder builder = toBuilder(policy());
        builder.resumption = new CallSettings.Resumption(state, waited, Objects.requireNonNull(lease, "lease"));
        return builder.build();
    }

    /**
     * Ends a stored call that can no longer run. The call is kept as a dead letter with
     * {@link StopReason#UNRESOLVABLE}, as if one more attempt had failed with the given error. Neither deciders nor a
     * recovery run. This method is for modules that store calls.
     *
     * @param subject the method and arguments of the call, as far as they are known
     * @param error the reason why the call cannot run. If the call cannot be kept, the exception of the queue is
     *     suppressed in this error
     * @return whether the call was kept
     * @throws IllegalArgumentException if this retry was not returned by {@link #resume}
     */
    public boolean giveUp(CallSubject subject, Throwable error) {
        RetryCall call = settings.resumed();
        if (call == null) {
            throw new IllegalArgumentException(
                    "Retry '" + name() + "' has no stored call to give up; use the retry that resume(..) returned");
        }
        call.describedAs(subject);
        call.failed(error);
        CallEnd end = new CallEnd(call, StopReason.UNRESOLVABLE, error, null, null);
        end.keep();
        end.close();
        return end.isKept();
    }

    /**
     * Returns a copy of this retry that reports the outcome of each asynchronous call. This method is for frameworks
     * that intercept calls.
     *
     * @param watcher receives the outcome on the thread that ends the call, before the call's future completes. It must
     *     not throw an exception, and receives nothing if the caller cancelled the call
     * @return the copy
     */
    public Retry watched(Consumer<RetryResult<?>> watcher) {
        RetryBuilder builder = toBuilder(policy());
        builder.watcher = Objects.requireNonNull(watcher, "watcher");
        return builder.build();
    }

    private <S, T extends @Nullable Object, X extends Throwable> @Nullable T run(
            S subject, RetryOperation<S, T> operation) throws X {
        return run(subject, operation, opened(subject), null);
    }

    /** Returns the state of a call if it is needed before the first attempt; {@code null} for most calls. */
    private @Nullable RetryCall opened(@Nullable Object subject) {
        return plain ? null : settings.opened(subject);
    }

    /**
     * Runs the first attempt, and further attempts if it fails. Unless it has a time limit or a budget key, a call that
     * succeeds immediately allocates nothing, reads no clock and takes no lock.
     *
     * @param known the state of the call, if it is needed even if the first attempt succeeds
     * @param recovery the recovery of this call; {@code null} for the recovery of the settings
     */
    private <S, T extends @Nullable Object, X extends Throwable> @Nullable T run(
            S subject,
            RetryOperation<S, T> operation,
            @Nullable RetryCall known,
            @Nullable BiFunction<? super Throwable, ? super RetryContext, ? extends T> recovery)
            throws X {
        @Nullable Object[] frame = CallFrame.get();
        Object outer = CallFrame.enter(frame, plain && known == null ? settings : settings.entered(known));
        try {
            @Nullable T value = null;
            Throwable thrown = null;
            try {
                if (known != null) {
                    known.resume(subject);
                }
                // Not in a separate method: throwing an error through one more frame costs about 100 ns.
                value = plain
                        ? operation.run(subject, 1)
                        : AttemptLimit.run(settings, operation, subject, known == null ? 1 : known.attempt());
                if (plain
                        || settings.policy().retryIf() == null
                        || callIn(frame).accepts(subject, value)) {
                    if (known != null) {
                        known.leaveRetry();
                        settings.ended(known, null);
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
            call.leaveRetry();
            BlockingRetry<S, T> retry = new BlockingRetry<>(call, subject, operation, recovery);
            retry.goOn(frame, outer, value, thrown);
            return retry.<X>result();
        } finally {
            CallFrame.leave(frame, outer);
        }
    }

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
        return name() + ": " + policy();
    }
}
