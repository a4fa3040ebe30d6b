/**
 * Delays before retries, which {@linkplain dev.retryon.backoff.Backoff backoff strategies} and
 * {@linkplain dev.retryon.backoff.Jitter jitter} determine.
 *
 * <p>All types are immutable or thread-safe. Delays are computed in constant time for any retry number. They never
 * overflow, and are never negative or longer than {@link dev.retryon.backoff.Backoff#LONGEST_DELAY}.
 */
@NullMarked
package dev.retryon.backoff;

import org.jspecify.annotations.NullMarked;
