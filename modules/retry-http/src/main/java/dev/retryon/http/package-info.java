/**
 * Retries of HTTP requests, and how long servers want their clients to wait. {@code HttpRetry}, {@code
 * RetryClientHttpRequestInterceptor}, {@code RetryExchangeFilterFunction} and {@code RetryableResponseException} are API,
 * all else is internal.
 */
@NullMarked
package dev.retryon.http;

import org.jspecify.annotations.NullMarked;
