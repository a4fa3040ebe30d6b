/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

/**
 * Receives the events of calls that are retried or fail; a call that succeeds at once publishes none. Called on the thread
 * that runs the call, so it must be thread-safe and quick. A listener that throws is logged and changes nothing.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RetryListener {

    /**
     * Takes one event.
     *
     * @param event a {@link RetryScheduled}, {@link RetrySucceeded}, {@link RetryFailed} or {@link DeadLettered}
     */
    void onEvent(RetryEvent event);

    /**
     * Whether events of a type are wanted at this moment. Asked after failures, once for each event before it is received,
     * on the thread that runs the call: a listener that ignores a type should return {@code false}, because an event without
     * listeners is not made.
     *
     * @param type the class of the event
     * @return {@code true} (the default) to receive them, {@code false} to ignore them
     */
    default boolean wants(Class<? extends RetryEvent> type) {
        return true;
    }
}
