// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * Copies thread-locals of the caller, such as a logging context, a security context or a trace, to the threads on
 * which later attempts of an asynchronous call run. Blocking calls do not need it, because they stay on their thread.
 *
 * <p>The context is captured once, on the caller's thread, before the first attempt. It is restored around each later
 * attempt, and around the gates, deciders, listeners and the recovery that run after a failure. An exception of a
 * hook is logged and has no effect on the call.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ContextCapture {

    /**
     * Captures the context of the current thread.
     *
     * @return the context, or {@code null} if there is nothing to copy
     */
    @Nullable Snapshot capture();

    /** A captured context. It can be restored any number of times, one after the other, on any thread. */
    @FunctionalInterface
    interface Snapshot {

        /**
         * Sets the context on the current thread.
         *
         * @return restores the former values of the thread when closed
         */
        Scope restore();
    }

    /** A context that is active on a thread. */
    @FunctionalInterface
    interface Scope extends AutoCloseable {

        /** Restores the former values of the thread. Called on the thread on which the context was restored. */
        @Override
        void close();
    }
}
