// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring;

/**
 * What to do when all retries have failed; the values of {@link RetryOn#onExhaustion()}. Policies, properties and
 * {@link Retries} use {@link dev.retryon.ExhaustionAction}, which has no {@link #INHERIT}.
 *
 * @since 0.1.0
 */
public enum OnExhaustion {
    /** Not set: the value of a weaker layer applies, or {@link #RETHROW}. */
    INHERIT,

    /** The caller receives the error. The call is not kept. */
    RETHROW,

    /** The call is kept as a dead letter, and the caller receives the error. Needs {@code retry-durable}. */
    DEAD_LETTER,

    /**
     * A {@linkplain RetryOn#durable() durable} call that has failed for good is deleted. It counts as failed and is
     * logged. For other calls this is the same as {@link #RETHROW}.
     */
    DISCARD
}
