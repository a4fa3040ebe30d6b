/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

/**
 * What an error itself asks for. A directive other than {@link #RETRY} beats every other rule but interruption.
 *
 * @see RetryHint#directive()
 * @see RetrySignal
 * @since 0.1.0
 */
public enum RetryDirective {

    /** Retry this error as if its type were listed; excludes, attempts, gates and time limits still hold. */
    RETRY,

    /** Stop with {@link StopReason#DISCARD} and give the error to the caller, without recovery: the call is not needed any more. */
    DISCARD,

    /** Stop with {@link StopReason#DEAD_LETTER}. A recovery method may still serve the caller. */
    DEAD_LETTER,

    /** Stop with {@link StopReason#FAIL} and give the error to the caller, without recovery: the call is wrong. */
    FAIL
}
