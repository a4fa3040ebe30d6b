/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.policy;

import dev.retryon.CallState;
import dev.retryon.CallSubject;
import dev.retryon.spi.CallHandover;
import dev.retryon.spring.RetrySettings;
import java.time.Duration;

/** Stores the retries of calls of durable methods. Thread-safe. */
public interface DurableRetries extends CallHandover {

    /**
     * Stores a call as {@link CallHandover#take} does.
     *
     * @param subject the method, target and arguments of the call
     * @param state what has happened so far
     * @param delay how long to wait before the next attempt; zero or more
     * @param override what {@code Retries.with} sets for this call, possibly nothing
     * @throws Exception if the call could not be stored
     */
    void take(CallSubject subject, CallState state, Duration delay, RetrySettings override) throws Exception;

    @Override
    default void take(CallSubject subject, CallState state, Duration delay) throws Exception {
        take(subject, state, delay, RetrySettings.NONE);
    }

    /**
     * Returns a handover for calls with overrides. None of them is a resumed call.
     *
     * @param override what is overridden
     * @return this with that override
     */
    default CallHandover with(RetrySettings override) {
        return override.isEmpty() ? this : (subject, state, delay) -> take(subject, state, delay, override);
    }
}
