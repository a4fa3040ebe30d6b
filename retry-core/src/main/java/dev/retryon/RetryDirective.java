package dev.retryon;

/**
 * What an error itself asks for. A directive other than {@link #RETRY} beats every other rule but interruption.
 *
 * @see RetryHint#directive()
 * @see RetrySignal
 */
public enum RetryDirective {

    /** Retry this error as if its type were listed; excludes, attempts, gates and time limits still hold. */
    RETRY,

    /** Stop and give the error to the caller; no recovery, nothing is kept. */
    DISCARD,

    /** Stop at once; the call counts as dead, a recovery method may still serve the caller. */
    DEAD_LETTER,

    /** Stop and give the error to the caller; the same as {@link #DISCARD}. */
    FAIL
}
