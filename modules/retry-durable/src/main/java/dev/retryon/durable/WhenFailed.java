// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

/**
 * Whether a call that has failed permanently is kept; the values of {@link Durable#whenFailed()}.
 *
 * @since 0.1.0
 */
public enum WhenFailed {

    /** Not set: the value of a weaker layer applies, or {@link #KEEP}. */
    INHERIT,

    /**
     * A stored call is kept as a dead letter. With {@link DurableMode#ON_FAILURE}, a call whose first attempt fails with an
     * exception that is not retryable is never stored, and not kept.
     */
    KEEP,

    /** Each failed call is kept as a dead letter, even if it was never stored as a retry. */
    KEEP_ALL,

    /** The call is not kept. It counts as failed and is logged. */
    DELETE
}
