// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

/**
 * Receives the exceptions that listeners, gates, stores and other extensions throw. Such an exception never replaces
 * the error of a call. The listener must be thread-safe and fast, because it runs each time on the thread on which the
 * exception was thrown. If the listener itself throws an exception, that exception is logged.
 *
 * <p>An engine without such a listener logs each message once per exception class, at WARN.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ExtensionErrorListener {

    /** The name to use if an exception does not belong to one retry. */
    String ANY = "any";

    /**
     * Receives an exception that an extension has thrown.
     *
     * @param kind the kind of extension
     * @param name the name of the retry, or {@link #ANY}
     * @param sentence the extension that threw the exception, and the consequence, such as
     *     {@code "the decider com.acme.Quota failed, so the call is not retried"}
     * @param cause the exception
     */
    void onError(Kind kind, String name, String sentence, Throwable cause);

    /**
     * The kinds of failures of extensions, and their consequences. The engine reports the kinds up to
     * {@link #DEAD_LETTER}. A framework also reports the other kinds.
     */
    enum Kind {

        /** A {@link RetryListener} failed. The call and the other listeners continue. */
        LISTENER,

        /**
         * A gate failed. For {@code onlyIf} and {@code unless}, the call is not retried. For {@code retryIf}, the
         * returned value is not retried.
         */
        GATE,

        /** A {@link RetryDecider} failed. The call is not retried. */
        DECIDER,

        /** A backoff strategy failed. The base delay is used. */
        BACKOFF,

        /** A {@link RetryHint} or {@link RetryHintResolver} failed. The result is treated as {@code null}. */
        RESOLVER,

        /** A {@link ContextCapture} failed. Later attempts run without the caller's context. */
        CONTEXT,

        /**
         * A {@link RetryTime}, an executor or the cancellation of a stage failed. If the wait or the attempt cannot
         * start, the call is not retried. If the time cannot be read, the call continues as if no time had passed.
         */
        WAIT,

        /** A {@link CallHandover} failed. The call is not handed over, or its end is not stored. */
        STORE,

        /** A {@link DeadLetterQueue} failed. The call is not kept. */
        DEAD_LETTER,

        /** A write conflicted with a concurrent transaction. The store repeats the write. */
        CONFLICT,

        /** Changed settings were rejected while the application runs. The previous settings remain in effect. */
        CONFIGURATION,

        /** A meter registry failed. Meters are missing. */
        METER,

        /** An observation registry or one of its handlers failed. The call continues. */
        OBSERVATION,

        /** An appender or another part of logging failed. The call continues. */
        LOG
    }
}
