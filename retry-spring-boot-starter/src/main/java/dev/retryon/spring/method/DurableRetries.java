/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.CallHandover;
import dev.retryon.CallState;
import dev.retryon.CallSubject;
import dev.retryon.spring.settings.RetrySettings;
import java.time.Duration;

/**
 * Takes over the retries of calls of durable methods. Thread-safe.
 *
 * @since 0.1.0
 */
public interface DurableRetries extends CallHandover {

    /**
     * Takes over a call as {@link CallHandover#take} does.
     *
     * @param subject what the call is about
     * @param state what has happened so far
     * @param delay how long to wait before the next attempt; zero or more
     * @param override what {@code Retries.with} sets for this call, possibly nothing
     * @throws Exception if the call could not be taken over
     */
    void take(CallSubject subject, CallState state, Duration delay, RetrySettings override) throws Exception;

    @Override
    default void take(CallSubject subject, CallState state, Duration delay) throws Exception {
        take(subject, state, delay, RetrySettings.NONE);
    }

    /**
     * Takes over calls for which something is overridden, of which none is one that goes on.
     *
     * @param override what is overridden
     * @return this with that override
     */
    default CallHandover with(RetrySettings override) {
        return override.isEmpty() ? this : (subject, state, delay) -> take(subject, state, delay, override);
    }
}
