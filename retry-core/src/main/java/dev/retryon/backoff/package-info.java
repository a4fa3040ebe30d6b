/**
 * How long to wait before a retry: {@link dev.retryon.backoff.Backoff strategies}, {@link dev.retryon.backoff.Jitter
 * jitter} and the {@link dev.retryon.backoff.BackoffRegistry names} under which configuration finds them.
 *
 * <p>Everything here is immutable or thread-safe, saturates instead of overflowing, runs in constant time whatever the
 * retry number, and never yields a delay below zero or above {@link dev.retryon.backoff.Backoff#LONGEST_DELAY}.
 */
@NullMarked
package dev.retryon.backoff;

import org.jspecify.annotations.NullMarked;
