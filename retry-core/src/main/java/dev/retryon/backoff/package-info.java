/**
 * Delays before retries: {@linkplain dev.retryon.backoff.Backoff backoff strategies} and {@linkplain
 * dev.retryon.backoff.Jitter jitter}.
 *
 * <p>All types are immutable or thread-safe. Delays never overflow, are computed in constant time for any retry
 * number, and are never negative or longer than {@link dev.retryon.backoff.Backoff#LONGEST_DELAY}.
 */
@NullMarked
package dev.retryon.backoff;

import org.jspecify.annotations.NullMarked;
