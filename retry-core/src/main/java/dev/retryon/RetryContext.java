// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The call that is running on the current thread. Each nested call has its own context. Do not use a context after its
 * call has ended.
 *
 * <pre>{@code
 * RetryContext context = RetryContext.current();
 * client.send(order, context.callId(), context.attempt());
 * }</pre>
 *
 * <p>The engine creates the contexts of calls. Tests of gates or deciders can implement this interface.
 *
 * @since 0.1.0
 */
public interface RetryContext {

    /**
     * Returns the context of the call that is running on the current thread.
     *
     * @return the context of the innermost call
     * @throws IllegalStateException if no attempt is running
     */
    static RetryContext current() {
        RetryContext context = CallFrame.context();
        if (context == null) {
            throw new IllegalStateException(
                    "No retried call is running on this thread; use RetryContext.find() if that is expected");
        }
        return context;
    }

    /**
     * {@return the context of the innermost call that is running on the current thread, or empty outside of any
     * attempt}
     */
    static Optional<RetryContext> find() {
        return Optional.ofNullable(CallFrame.context());
    }

    /** {@return the name of the retry, as given to {@link Retry#of}} */
    String name();

    /**
     * {@return the id of this call, which is unique across machines and the same for each of its attempts} You can use
     * it as an idempotency key.
     */
    String callId();

    /** {@return the number of the current attempt, from 1} */
    int attempt();

    /**
     * {@return the maximum number of attempts, at least 1} If the error of the previous attempt is known and has a
     * rule, this is the maximum of the rule. Otherwise, the maximum of the policy applies.
     */
    int maxAttempts();

    /**
     * {@return whether no attempt can follow, whatever the error is; always {@code true} if the policy retries nothing}
     */
    boolean isLastAttempt();

    /**
     * {@return the unwrapped error of the previous attempt, or {@code null} if there was no error} In gates, deciders
     * and listeners, the previous attempt is the one that has just failed.
     */
    @Nullable Throwable lastError();

    /**
     * {@return the unwrapped errors of the latest failed attempts, oldest first and at most
     * {@value PastAttempts#ERRORS}; immutable} The last error in the list is {@link #lastError()}.
     */
    List<Throwable> errors();

    /**
     * {@return why the call is not retried again; {@code null} before this is decided} In recoveries, the reason is
     * known.
     */
    @Nullable StopReason stopReason();

    /**
     * Returns the time since the start of the call, if the clock was read at the start. The clock is read at the start
     * if the call has a {@code timeout}, if it runs within {@link Retry#capture} or, in Spring applications, if a gate
     * uses {@code #elapsed}. Otherwise, this method returns the time since the first failure, or since the first access
     * to the context if that was earlier.
     *
     * @return the elapsed time, zero or more
     */
    Duration elapsed();

    /**
     * {@return the time at which the policy's {@code timeout} expires, by the engine's clock; {@code null} if the
     * policy has no timeout}
     */
    @Nullable Instant deadline();

    /**
     * {@return whether the retries of this call are stored, survive the end of the process and can run in another
     * process}
     */
    boolean isDurable();

    /**
     * Returns whether this process still has the lease of a stored call. If a worker pauses for too long, its lease
     * expires, and another worker might run the same attempt. Call this method before an action that must not run
     * twice.
     *
     * @return {@code false} if the lease has expired; always {@code true} for a call that is not stored
     */
    boolean leaseValid();

    /**
     * {@return a mutable, thread-safe map that exists as long as the call} Attempts can use it to pass values to later
     * attempts.
     */
    Map<String, Object> attributes();

    /**
     * {@return the method, target and arguments of the call; {@code null} before the first failure} In gates, deciders,
     * listeners and backoff strategies, this value is never {@code null}.
     */
    @Nullable CallSubject subject();
}
