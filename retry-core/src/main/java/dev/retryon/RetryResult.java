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
 * What came of a call: its value or its error, and how many attempts it took.
 *
 * @param <T> the value's type
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

    private RetryResult(
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

    static <T extends @Nullable Object> RetryResult<T> of(
            @Nullable T value,
            @Nullable Throwable error,
            int attempts,
            Duration elapsed,
            List<Duration> delays,
            List<Throwable> errors,
            @Nullable StopReason stopReason) {
        return new RetryResult<>(value, error, attempts, elapsed, delays, errors, stopReason);
    }

    /**
     * A result of no attempt at all, to be given a value or an error.
     *
     * @return a result without attempts
     */
    public static RetryResult<@Nullable Object> none() {
        return new RetryResult<>(null, null, 0, Duration.ZERO, List.of(), List.of(), null);
    }

    /**
     * The same attempts with another value.
     *
     * @param <R> the value's type
     * @param other the value
     * @return a successful result
     */
    public <R extends @Nullable Object> RetryResult<R> withValue(R other) {
        return new RetryResult<>(other, null, attempts, elapsed, delays, errors, stopReason);
    }

    /**
     * The same attempts with another error.
     *
     * @param <R> the value's type
     * @param other the error
     * @return a failed result
     */
    public <R extends @Nullable Object> RetryResult<R> withError(Throwable other) {
        return new RetryResult<>(null, other, attempts, elapsed, delays, errors, stopReason);
    }

    /**
     * The value returned to the caller.
     *
     * @return the value, which may be {@code null}; {@code null} if the call failed
     */
    public @Nullable T value() {
        return value;
    }

    /**
     * What the call threw in the end.
     *
     * @return the error, just as thrown, or {@code null} if the call returned
     */
    public @Nullable Throwable error() {
        return error;
    }

    /**
     * Whether the call returned a value.
     *
     * @return {@code false} if there is an {@link #error()}
     */
    public boolean succeeded() {
        return error == null;
    }

    /**
     * Returns the value, or throws what the call threw.
     *
     * @return the value
     * @throws Exception the error; one that is neither an exception nor an {@link Error} in an
     *     {@link UndeclaredThrowableException}
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
     * How many attempts were made.
     *
     * @return at least 1, unless nothing was called
     */
    public int attempts() {
        return attempts;
    }

    /**
     * How many retries were made.
     *
     * @return attempts − 1, or 0
     */
    public int retries() {
        return Math.max(0, attempts - 1);
    }

    /**
     * Whether there was a retry.
     *
     * @return {@code true} after more than one attempt
     */
    public boolean retried() {
        return attempts > 1;
    }

    /**
     * How long it took, attempts and waits, from the start of the call.
     *
     * @return zero or more
     */
    public Duration elapsed() {
        return elapsed;
    }

    /**
     * What was waited before each retry.
     *
     * @return one delay a retry, of the latest {@value PastAttempt#DELAYS} retries; immutable
     */
    public List<Duration> delays() {
        return delays;
    }

    /**
     * The errors of the latest attempts that threw one, the oldest first, unwrapped. Errors before them are not kept, because
     * an error may hold megabytes.
     *
     * @return at most {@value PastAttempt#ERRORS} errors; immutable
     */
    public List<Throwable> errors() {
        return errors;
    }

    /**
     * Why a failed call was not, or no longer, retried.
     *
     * @return the reason, also if a recovery served the caller; {@code null} if an attempt succeeded
     */
    public @Nullable StopReason stopReason() {
        return stopReason;
    }

    /** Names the class of the error; no code of the user's runs here. */
    @Override
    public String toString() {
        return (error == null ? "success" : "failure") + " after " + attempts
                + (attempts == 1 ? " attempt" : " attempts")
                + (stopReason == null ? "" : " (" + stopReason + ")")
                + (error == null ? "" : ": " + RetryEvent.errorClass(error));
    }
}
