// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

/**
 * Receives the exceptions that listeners, gates, stores and other extensions throw. Such an exception never replaces
 * the error of a call. This listener runs on the thread on which the exception was thrown, every time, so it must be
 * thread-safe and fast. If it throws, the exception is logged.
 *
 * <p>An engine without such a listener logs each message once per class of exception, at WARN.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ExtensionErrorListener {

    /** The name that is used if an exception does not belong to one retry. */
    String ANY = "any";

    /**
     * Receives the exception of an extension.
     *
     * @param kind the kind of extension
     * @param name the name of the retry, or {@link #ANY}
     * @param sentence the extension that threw and the consequence, such as {@code "the decider com.acme.Quota
     *     failed, so the call is not retried"}
     * @param cause the exception
     */
    void onError(Kind kind, String name, String sentence, Throwable cause);

    /**
     * The kinds of extensions, and the consequence if one throws. The engine reports those up to {@link #DEAD_LETTER}. A
     * framework also reports the others.
     */
    enum Kind {

        /** A {@link RetryListener}: the call and the other listeners continue. */
        LISTENER,

        /**
         * A gate: the call is not retried ({@code onlyIf}, {@code unless}), or the returned value is not retried
         * ({@code retryIf}).
         */
        GATE,

        /** A {@link RetryDecider}: the call is not retried. */
        DECIDER,

        /** A backoff strategy: the base delay is used. */
        BACKOFF,

        /** A {@link RetryHint} or {@link RetryHintResolver}: it is treated as having no answer. */
        RESOLVER,

        /** A {@link ContextCapture}: later attempts run without the caller's context. */
        CONTEXT,

        /**
         * A {@link RetryTime} or executor, or the cancellation of a stage: the call is not retried if the wait or the
         * attempt cannot start. If the time cannot be read, the call continues as if no time had passed.
         */
        WAIT,

        /** A {@link CallHandover}: the call is not handed over, or its end is not stored. */
        STORE,

        /** A {@link DeadLetterQueue}: the call is not kept. */
        DEAD_LETTER,

        /** A write that a store repeats after a concurrent transaction. */
        CONFLICT,

        /** Changed settings that are rejected while the application runs: the former settings remain in effect. */
        CONFIGURATION,

        /** A meter registry: meters are missing. */
        METER,

        /** An observation registry or one of its handlers: the call continues. */
        OBSERVATION,

        /** An appender or another part of logging: the call continues. */
        LOG
    }
}
