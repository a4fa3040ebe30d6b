/**
 * Retries calls that fail temporarily and then succeed.
 *
 * <p>A {@link dev.retryon.RetryPolicy} defines which failures are retried, how often and with which delays. A
 * {@link dev.retryon.Retry} runs calls under a policy. Each retry, and the outcome of a call that was retried or
 * failed, is published as a {@link dev.retryon.RetryEvent}.
 *
 * <pre>{@code
 * RetryPolicy policy = RetryPolicy.builder()
 *     .retryOn(IOException.class)
 *     .maxAttempts(5)
 *     .delay(Duration.ofMillis(200))
 *     .build();
 * String body = Retry.of("catalogue", policy).call(() -> client.get(uri));
 * }</pre>
 *
 * <p>A few types are for modules that store calls and run them later, perhaps in another process:
 * {@link dev.retryon.CallHandover}, {@link dev.retryon.CallState}, {@link dev.retryon.FailedCall} and
 * {@link dev.retryon.DeadLetterQueue}. Applications implement only {@code DeadLetterQueue}, and only if they
 * store failed calls themselves.
 *
 * <p>Attempts and retries are numbered from 1: retry 1 follows attempt 1. All types are immutable or thread-safe
 * unless stated otherwise.
 */
@NullMarked
package dev.retryon;

import org.jspecify.annotations.NullMarked;
