/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

/**
 * What becomes of a call that has failed for good. It holds for every {@link StopReason} but {@link StopReason#DISCARD},
 * {@link StopReason#FAIL}, {@link StopReason#CANCELLED} and {@link StopReason#INTERRUPTED}.
 *
 * @since 0.1.0
 */
public enum OnExhaustion {
    /** The caller gets the error, and nothing is kept. */
    RETHROW,

    /** The call is kept in the engine's {@link DeadLetterQueue}, then the caller gets the error. */
    DEAD_LETTER
}
