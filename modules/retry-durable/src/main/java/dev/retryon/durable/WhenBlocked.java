// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

/**
 * Whether the calls behind a call that has failed permanently stay blocked; the values of {@link Durable#whenBlocked()}.
 *
 * @since 0.1.0
 */
public enum WhenBlocked {

    /** Not set: the value of a weaker layer applies, or {@link #STOP}. */
    INHERIT,

    /** The calls behind the dead letter stay blocked until a user resends it and it succeeds, or discards it. */
    STOP,

    /** The next call runs. If the dead letter is resent, it runs outside the order. */
    CONTINUE
}
