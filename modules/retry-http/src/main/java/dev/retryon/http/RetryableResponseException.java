// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import dev.retryon.RetryDirective;
import dev.retryon.RetryHint;
import dev.retryon.spring.module.NamedError;
import java.io.Serial;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;

/**
 * The error of an attempt whose response has a status that is retried. Listeners, deciders and gates receive this
 * error, but the caller receives the last response instead. It has no stack trace.
 *
 * @since 0.1.0
 */
public final class RetryableResponseException extends Exception implements RetryHint, NamedError {

    @Serial
    private static final long serialVersionUID = 1L;

    private final int status;

    private final transient HttpHeaders headers;

    private final @Nullable Duration retryAfter;

    /** Releases the response's connection before the wait for the next attempt, within a time limit. */
    private final transient Consumer<Duration> release;

    RetryableResponseException(
            HttpStatusCode status, HttpHeaders headers, @Nullable Duration retryAfter, Consumer<Duration> release) {
        super("the server responded with " + status, null, true, false);
        this.status = status.value();
        this.headers = headers;
        this.retryAfter = retryAfter;
        this.release = release;
    }

    /** {@return the response's status, one of {@link HttpRetry#statuses()}} */
    public HttpStatusCode status() {
        return HttpStatusCode.valueOf(status);
    }

    /** {@return the response's headers, which are read-only} */
    public HttpHeaders headers() {
        return headers;
    }

    @Override
    public RetryDirective directive() {
        return RetryDirective.RETRY;
    }

    @Override
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }

    /** {@return the status as an error code for {@code nonRetryableErrors}, such as {@code http.503}} */
    @Override
    public String errorCode() {
        return "http." + status;
    }

    @Override
    public String errorName() {
        return errorCode();
    }

    void release(Duration time) {
        release.accept(time);
    }
}
