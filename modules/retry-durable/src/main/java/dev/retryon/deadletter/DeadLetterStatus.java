// SPDX-License-Identifier: Apache-2.0
package dev.retryon.deadletter;

/**
 * The status of a dead letter.
 *
 * @since 0.1.0
 */
public enum DeadLetterStatus {
    /** The call has failed permanently and needs attention. */
    DEAD,

    /** The call was resent and has not ended yet. */
    RETRYING,

    /** The call was resent and has succeeded. */
    RESOLVED,

    /** A user has decided that the call is no longer needed. */
    DISCARDED;

    /**
     * Returns whether a dead letter can change from this status to another one: {@code DEAD → RETRYING → RESOLVED},
     * {@code RETRYING → DEAD} and {@code DEAD → DISCARDED}. If a resent call turns out to be unnecessary, it changes
     * from {@code RETRYING} to {@code DISCARDED}.
     *
     * @param next the new status
     * @return whether the change is allowed
     */
    public boolean admits(DeadLetterStatus next) {
        return switch (this) {
            case DEAD -> next == RETRYING || next == DISCARDED;
            case RETRYING -> next == RESOLVED || next == DEAD || next == DISCARDED;
            case RESOLVED, DISCARDED -> false;
        };
    }
}
