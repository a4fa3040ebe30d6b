/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

/**
 * Receives the faults beside the calls: listeners, gates and whatever else users plug in. Such a fault never replaces the
 * error of a call. Called on the thread on which it happened, each time, so it must be thread-safe and quick. A fault
 * listener that throws is logged.
 *
 * <p>An engine without one logs the first fault of a kind, name and class of error at WARN.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RetryFaultListener {

    /** The name of faults that are not about the calls of one name. */
    String ANY = "any";

    /**
     * Takes one fault.
     *
     * @param source what failed
     * @param name the name of what was retried, or {@link #ANY}
     * @param sentence what failed and what that means for the call, such as {@code "the decider com.acme.Quota failed, so the
     *     call is not retried"}
     * @param cause what was thrown
     */
    void onFault(Source source, String name, String sentence, Throwable cause);

    /** What can fail. */
    enum Source {

        /** A {@link RetryListener}: the call and the other listeners go on. */
        LISTENER,

        /** {@code onlyIf} or {@code unless}, and the call is not retried; or {@code retryIf}, and the value is not. */
        GATE,

        /** A {@link RetryDecider}: the call is not retried. */
        DECIDER,

        /** A backoff strategy: the base delay is used. */
        BACKOFF,

        /** A {@link RetryHint}, {@link ErrorCodeResolver} or {@link RetryAfterResolver}: it counts as having no answer. */
        RESOLVER,

        /** A {@link ContextCapture}: later attempts run without the caller's context. */
        CONTEXT,

        /** What waits for, times, runs or cancels attempts: the call is not retried if it can't be. */
        WAIT,

        /** A {@link CallHandover}: the call is not handed over, or its end is not written. */
        STORE,

        /** A {@link DeadLetterQueue}: the call is not kept. */
        DEAD_LETTER
    }
}
