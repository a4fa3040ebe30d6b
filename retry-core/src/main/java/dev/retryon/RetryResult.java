// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a call: its value or its error, and its attempts.
 *
 * <pre>{@code
 * RetryResult<String> result = retry.capture(() -> client.get(uri));
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

    /** {@return a result without attempts, to use with {@link #withValue} and {@link #withError}} */
    public static RetryResult<@Nullable Object> none() {
        return new RetryResult<>(null, null, 0, Duration.ZERO, List.of(), List.of(), null);
    }

    /**
     * {@return a successful copy of this result with the given value}
     *
     * @param <R> the type of the value
     * @param other the value
     */
    public <R extends @Nullable Object> RetryResult<R> withValue(R other) {
        return new RetryResult<>(other, null, attempts, elapsed, delays, errors, stopReason);
    }

    /**
     * {@return a failed copy of this result with the given error}
     *
     * @param <R> the type of the value
     * @param other the error
     */
    public <R extends @Nullable Object> RetryResult<R> withError(Throwable other) {
        return new RetryResult<>(null, other, attempts, elapsed, delays, errors, stopReason);
    }

    /** {@return the value, which can be {@code null}; always {@code null} if the call failed} */
    public @Nullable T value() {
        return value;
    }

    /** {@return the error as the call threw it, or {@code null} if the call returned a value} */
    public @Nullable Throwable error() {
        return error;
    }

    /** {@return whether the call returned a value and therefore has no {@link #error()}} */
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

    /** {@return the number of attempts, at least 1; 0 if no attempt has run} */
    public int attempts() {
        return attempts;
    }

    /** {@return the number of retries, which is the number of attempts − 1, or 0} */
    public int retries() {
        return Math.max(0, attempts - 1);
    }

    /** {@return whether the call had more than one attempt} */
    public boolean retried() {
        return attempts > 1;
    }

    /** {@return the time from the start of the call, including attempts and delays; zero or more} */
    public Duration elapsed() {
        return elapsed;
    }

    /** {@return the delay before each of the latest {@value PastAttempts#DELAYS} retries; immutable} */
    public List<Duration> delays() {
        return delays;
    }

    /**
     * {@return the unwrapped errors of the latest failed attempts, oldest first and at most
     * {@value PastAttempts#ERRORS}; immutable} An error can reference a lot of memory, so earlier errors are not
     * kept.
     */
    public List<Throwable> errors() {
        return errors;
    }

    /**
     * {@return why a failed call was not retried, or not retried again, even if a recovery returned a value;
     * {@code null} if an attempt succeeded}
     */
    public @Nullable StopReason stopReason() {
        return stopReason;
    }

    /** Returns the outcome with the class of the error. Does not call a method of the error. */
    @Override
    public String toString() {
        return (error == null ? "success" : "failure") + " after " + attempts
                + (attempts == 1 ? " attempt" : " attempts")
                + (stopReason == null ? "" : " (" + stopReason + ")")
                + (error == null ? "" : ": " + RetryEvent.errorClass(error));
    }
}
