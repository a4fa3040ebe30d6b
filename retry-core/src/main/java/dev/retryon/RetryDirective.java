// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

/**
 * Defines what an error requests for its own retry. A directive other than {@link #RETRY} overrides every rule except
 * interruption.
 *
 * @see RetryHint#directive()
 * @see RetrySignal
 * @since 0.1.0
 */
public enum RetryDirective {

    /**
     * Retries this error as if its type were listed. Excludes, the number of attempts, gates and time limits still
     * apply.
     */
    RETRY,

    /**
     * Ends the call with {@link StopReason#DISCARD}, because it is no longer needed. The caller receives the error, and
     * no recovery runs.
     */
    DISCARD,

    /**
     * Ends the call with {@link StopReason#DEAD_LETTER} and keeps it. A recovery can still return a value to the
     * caller.
     */
    DEAD_LETTER,

    /**
     * Ends the call with {@link StopReason#FAIL}, because the call itself is invalid. The caller receives the error,
     * and no recovery runs.
     */
    FAIL
}
