// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

/**
 * The request of an error about its own retry. A directive other than {@link #RETRY} overrides every rule except
 * interruption.
 *
 * @see RetryHint#directive()
 * @see RetrySignal
 * @since 0.1.0
 */
public enum RetryDirective {

    /** Retry this error as if its type were listed. Excludes, attempts, gates and time limits still apply. */
    RETRY,

    /**
     * Stop with {@link StopReason#DISCARD}, because the call is no longer needed. The caller receives the error, and
     * no recovery runs.
     */
    DISCARD,

    /** Stop with {@link StopReason#DEAD_LETTER} and keep the call. A recovery may still return a value to the caller. */
    DEAD_LETTER,

    /**
     * Stop with {@link StopReason#FAIL}, because the call itself is invalid. The caller receives the error, and no
     * recovery runs.
     */
    FAIL
}
