/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * Carries what a caller has in thread-locals (a logging context, a security context, a trace) to the threads on which
 * later attempts of its asynchronous call run. Blocking calls need none: they stay on their thread.
 *
 * <p>The context is captured once, on the caller's thread, before the first attempt. It is restored around each later
 * attempt, and around the gates, deciders, listeners and the recovery that run because an attempt failed. A hook that
 * throws is logged and changes nothing.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ContextCapture {

    /**
     * Takes what the current thread has.
     *
     * @return the context, or {@code null} if there is nothing to carry
     */
    @Nullable Snapshot capture();

    /** What a thread had. Restored any number of times, one after the other, on any threads. */
    @FunctionalInterface
    interface Snapshot {

        /**
         * Sets the context on the current thread.
         *
         * @return what puts back the values that the thread had before
         */
        Scope restore();
    }

    /** A context that is set on a thread. */
    @FunctionalInterface
    interface Scope extends AutoCloseable {

        /** Puts back what the thread had before; called on the thread on which the context was restored. */
        @Override
        void close();
    }
}
