/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a call: its value or its error, and its attempts.
 *
 * <pre>{@code
 * RetryResult<String> result = retry.execute(() -> client.get(uri));
 * if (!result.succeeded()) {
 *     log.info("{} attempts: {}", result.attempts(), result.stopReason());
 * }
 * }</pre>
 *
 * @param <T> the type of the value
 * @since 0.1.0
 */
public final class RetryResult<T extends @Nullable Object> {

    private final @Nullable T value;

    private final @Nullable Throwable error;

    private final int attempts;

    private final Duration elapsed;

    private final List<Duration> delays;

    private final List<Throwable> errors;

    private final @Nullable StopReason stopReason;

    RetryResult(
            @Nullable T value,
            @Nullable Throwable error,
            int attempts,
            Duration elapsed,
            List<Duration> delays,
            List<Throwable> errors,
            @Nullable StopReason stopReason) {
        this.value = value;
        this.error = error;
        this.attempts = attempts;
        this.elapsed = elapsed;
        this.delays = delays;
        this.errors = errors;
        this.stopReason = stopReason;
    }

    /**
     * Returns a result without attempts, for {@link #withValue} and {@link #withError}.
     *
     * @return a result without attempts
     */
    public static RetryResult<@Nullable Object> none() {
        return new RetryResult<>(null, null, 0, Duration.ZERO, List.of(), List.of(), null);
    }

    /**
     * Returns a copy of this result with a different value.
     *
     * @param <R> the type of the value
     * @param other the value
     * @return a successful result
     */
    public <R extends @Nullable Object> RetryResult<R> withValue(R other) {
        return new RetryResult<>(other, null, attempts, elapsed, delays, errors, stopReason);
    }

    /**
     * Returns a copy of this result with a different error.
     *
     * @param <R> the type of the value
     * @param other the error
     * @return a failed result
     */
    public <R extends @Nullable Object> RetryResult<R> withError(Throwable other) {
        return new RetryResult<>(null, other, attempts, elapsed, delays, errors, stopReason);
    }

    /**
     * Returns the value.
     *
     * @return the value, which may be {@code null}; {@code null} if the call failed
     */
    public @Nullable T value() {
        return value;
    }

    /**
     * Returns the error that the call threw.
     *
     * @return the error as it was thrown, or {@code null} if the call returned a value
     */
    public @Nullable Throwable error() {
        return error;
    }

    /**
     * Returns whether the call returned a value.
     *
     * @return {@code false} if there is an {@link #error()}
     */
    public boolean succeeded() {
        return error == null;
    }

    /**
     * Returns the value, or throws the error.
     *
     * @return the value
     * @throws Exception the error. A throwable that is neither an {@link Exception} nor an {@link Error} is wrapped
     *     in an {@link UndeclaredThrowableException}
     */
    public @Nullable T getOrThrow() throws Exception {
        if (error instanceof Exception exception) {
            throw exception;
        }
        if (error instanceof Error serious) {
            throw serious;
        }
        if (error != null) {
            throw new UndeclaredThrowableException(error);
        }
        return value;
    }

    /**
     * Returns the number of attempts.
     *
     * @return at least 1; 0 if no attempt has run
     */
    public int attempts() {
        return attempts;
    }

    /**
     * Returns the number of retries.
     *
     * @return attempts − 1, or 0
     */
    public int retries() {
        return Math.max(0, attempts - 1);
    }

    /**
     * Returns whether the call was retried.
     *
     * @return {@code true} after more than one attempt
     */
    public boolean retried() {
        return attempts > 1;
    }

    /**
     * Returns the time from the start of the call, including attempts and delays.
     *
     * @return zero or more
     */
    public Duration elapsed() {
        return elapsed;
    }

    /**
     * Returns the delay before each retry.
     *
     * @return one delay per retry, for the latest {@value PastAttempt#DELAYS} retries; immutable
     */
    public List<Duration> delays() {
        return delays;
    }

    /**
     * Returns the unwrapped errors of the latest failed attempts, oldest first. Earlier errors are not kept, because
     * an error may reference a lot of memory.
     *
     * @return at most {@value PastAttempt#ERRORS} errors; immutable
     */
    public List<Throwable> errors() {
        return errors;
    }

    /**
     * Returns why a failed call was not retried, or not retried again.
     *
     * @return the reason, even if a recovery returned a value; {@code null} if an attempt succeeded
     */
    public @Nullable StopReason stopReason() {
        return stopReason;
    }

    /** Returns the outcome with the class of the error. It calls no method of the error. */
    @Override
    public String toString() {
        return (error == null ? "success" : "failure") + " after " + attempts
                + (attempts == 1 ? " attempt" : " attempts")
                + (stopReason == null ? "" : " (" + stopReason + ")")
                + (error == null ? "" : ": " + RetryEvent.errorClass(error));
    }
}
