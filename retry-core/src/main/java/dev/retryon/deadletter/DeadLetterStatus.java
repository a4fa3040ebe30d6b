/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.deadletter;

/**
 * Where a dead letter stands.
 *
 * @since 0.1.0
 */
public enum DeadLetterStatus {
    /** The call has failed for good. Somebody should look at it. */
    DEAD,

    /** The call was sent again and has not ended yet. */
    RETRYING,

    /** The call was sent again and has succeeded. */
    RESOLVED,

    /** Somebody has decided that the call is not needed any more. */
    DISCARDED;

    /**
     * Whether a dead letter of this status may get another one: {@code DEAD → RETRYING → RESOLVED}, {@code RETRYING → DEAD}
     * and {@code DEAD → DISCARDED}. A call that turns out not to be needed while it runs goes from {@code RETRYING} to {@code
     * DISCARDED}.
     *
     * @param next the other status
     * @return whether it may
     */
    public boolean admits(DeadLetterStatus next) {
        return switch (this) {
            case DEAD -> next == RETRYING || next == DISCARDED;
            case RETRYING -> next == RESOLVED || next == DEAD || next == DISCARDED;
            case RESOLVED, DISCARDED -> false;
        };
    }
}
