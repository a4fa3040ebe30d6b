/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What running code can know of the call that it is an attempt of. Nested calls each see their own. Belongs to one call
 * and is not meant to be kept after it.
 *
 * <p>The engine makes the contexts of real calls. A test of a gate or a decider may implement this interface.
 *
 * @since 0.1.0
 */
public interface RetryContext {

    /**
     * The call that the current thread is an attempt of.
     *
     * @return the innermost one
     * @throws IllegalStateException outside any attempt
     */
    static RetryContext current() {
        RetryContext context = CallFrame.context();
        if (context == null) {
            throw new IllegalStateException(
                    "no retried call is running on this thread; use RetryContext.find() where that is normal");
        }
        return context;
    }

    /**
     * The call that the current thread is an attempt of, if any.
     *
     * @return the innermost one, or empty outside any attempt
     */
    static Optional<RetryContext> find() {
        return Optional.ofNullable(CallFrame.context());
    }

    /**
     * The name of what is called.
     *
     * @return the name given to {@link Retry#of}
     */
    String name();

    /**
     * An id for this call, the same for each of its attempts: fit for an idempotency key.
     *
     * @return an id, unique across machines
     */
    String callId();

    /**
     * The number of the current attempt.
     *
     * @return from 1
     */
    int attempt();

    /**
     * How many attempts the call has at most.
     *
     * @return at least 1
     */
    int maxAttempts();

    /**
     * Whether no retry can follow this attempt.
     *
     * @return {@code true} at the last attempt, and always if the policy retries nothing
     */
    boolean isLastAttempt();

    /**
     * The error of the previous attempt; in gates, deciders and listeners that of the attempt that just failed.
     *
     * @return the error, unwrapped, or {@code null} if there was none
     */
    @Nullable Throwable lastError();

    /**
     * How long the call has taken, attempts and waits. It counts from the start of the call if the policy has a
     * {@code timeout}, within {@link Retry#execute}, and in Spring applications if a gate of the method uses
     * {@code #elapsed}. Otherwise no clock is read before the first attempt, and <strong>the time of the first attempt is
     * left out</strong>: time counts from the end of that attempt, or from the moment when it first asked for its context.
     *
     * @return zero or more
     */
    Duration elapsed();

    /**
     * When the policy's {@code timeout} is over, by the engine's clock.
     *
     * @return the time of day, or {@code null} if the policy has no timeout
     */
    @Nullable Instant deadline();

    /**
     * Whether the retries of this call are stored, so that they survive the process and may be made in another one.
     *
     * @return {@code false} if retries are made by this process alone
     */
    boolean isDurable();

    /**
     * Whether this process still holds the call. A worker that stood still for too long has lost its hold, and another one
     * may make the same attempt: code can ask before it does what must not be done twice.
     *
     * @return {@code false} if the hold has lapsed; {@code true} for a call that no other process can take over
     */
    boolean leaseValid();

    /**
     * Notes that live as long as the call, for attempts to leave to later ones.
     *
     * @return a mutable, thread-safe map
     */
    Map<String, Object> attributes();

    /**
     * What is called: the method, its target and its arguments. Available to gates, deciders, listeners and backoff
     * strategies, after the first failure.
     *
     * @return the subject, or {@code null} before the first failure
     */
    @Nullable CallSubject subject();
}
