/**
 * Retries of calls that fail for a moment and then work.
 *
 * <p>{@link dev.retryon.RetryPolicy} says which failures are retried, how often and how long apart; {@link
 * dev.retryon.Retry} runs calls under a policy; everything that happens leaves as a {@link dev.retryon.RetryEvent}.
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
 * <p>Attempts and retries are numbered from 1: retry 1 follows attempt 1. All types are immutable or thread-safe unless
 * they say otherwise.
 */
@NullMarked
package dev.retryon;

import org.jspecify.annotations.NullMarked;
