/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import dev.retryon.spi.DeadLetterQueue;

/**
 * What to do when a call has failed for good. It applies to every {@link StopReason} except {@link
 * StopReason#DISCARD}, {@link StopReason#FAIL}, {@link StopReason#CANCELLED} and {@link StopReason#INTERRUPTED}.
 *
 * @since 0.1.0
 */
public enum ExhaustionAction {
    /** The caller receives the error. The call is not kept. */
    RETHROW,

    /** The call is kept in the engine's {@link DeadLetterQueue}. Then the caller receives the error. */
    DEAD_LETTER
}
