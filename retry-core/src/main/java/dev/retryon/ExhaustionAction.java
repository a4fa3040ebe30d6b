// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

/**
 * Defines what happens to a call that has failed permanently. The action applies to every {@link StopReason} except
 * {@link StopReason#DISCARD}, {@link StopReason#FAIL}, {@link StopReason#CANCELLED} and {@link StopReason#INTERRUPTED}.
 * A stored call, whose caller no longer waits, is kept as a dead letter unless its action is {@link #DISCARD}.
 *
 * @since 0.1.0
 */
public enum ExhaustionAction {
    /** The caller receives the error. The call is not kept. */
    RETHROW,

    /** The call is kept in the engine's {@link DeadLetterQueue}. After that, the caller receives the error. */
    DEAD_LETTER,

    /**
     * A stored call that has failed permanently is deleted, even for {@link StopReason#FAIL}, and {@link RetryFailed}
     * is published. A call that can no longer run ({@link StopReason#UNRESOLVABLE}) is kept nevertheless. For a call
     * that is not stored, this action is the same as {@link #RETHROW}.
     */
    DISCARD
}
