// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

/**
 * Defines whether a call that has failed permanently is kept. This is the type of {@link Durable#whenFailed()}.
 *
 * @since 0.1.0
 */
public enum WhenFailed {

    /** The action is not set. The value of a weaker layer applies, or else {@link #KEEP}. */
    INHERIT,

    /**
     * A stored call is kept as a dead letter. With {@link DurableMode#ON_FAILURE}, a call is neither stored nor kept if
     * its first attempt fails with an exception that is not retryable.
     */
    KEEP,

    /** Every failed call is kept as a dead letter, even if it was never stored as a retry. */
    KEEP_ALL,

    /** The call is not kept, but counts as failed and is logged. */
    DELETE
}
