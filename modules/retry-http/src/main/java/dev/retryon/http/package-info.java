/**
 * Retries of HTTP requests, including the waits that servers request. {@code HttpRetry},
 * {@code RetryClientHttpRequestInterceptor}, {@code RetryExchangeFilterFunction} and {@code RetryableResponseException}
 * are API. All other types are internal.
 */
@NullMarked
package dev.retryon.http;

import org.jspecify.annotations.NullMarked;
