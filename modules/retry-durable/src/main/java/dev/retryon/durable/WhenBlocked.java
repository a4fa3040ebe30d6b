// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

/**
 * Defines whether calls stay blocked behind a call that has failed permanently. This is the type of
 * {@link Durable#whenBlocked()}.
 *
 * @since 0.1.0
 */
public enum WhenBlocked {

    /** The action is not set. The value of a weaker layer applies, or else {@link #STOP}. */
    INHERIT,

    /**
     * The calls behind the dead letter stay blocked until a user discards it, or until a user resends it and it
     * succeeds.
     */
    STOP,

    /** The next call runs. If the dead letter is resent later, it runs outside the order. */
    CONTINUE
}
