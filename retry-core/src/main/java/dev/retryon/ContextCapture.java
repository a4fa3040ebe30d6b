// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * Copies thread-locals of the caller, such as a logging context, a security context or a trace, to the threads on
 * which later attempts of an asynchronous call run. Blocking calls do not need a context capture, because they stay
 * on their thread.
 *
 * <p>The context is captured once, on the caller's thread, before the first attempt. The captured context is restored
 * around each later attempt, and around the gates, deciders, listeners and the recovery that run after a failure. If
 * a hook throws an exception, the exception is logged and has no effect on the call.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ContextCapture {

    /**
     * Captures the context of the current thread.
     *
     * @return the context, or {@code null} if nothing must be copied
     */
    @Nullable Snapshot capture();

    /** A captured context, which can be restored any number of times on any thread, but only once at a time. */
    @FunctionalInterface
    interface Snapshot {

        /**
         * Sets the captured context on the current thread.
         *
         * @return a scope that restores the previous values of the thread when it is closed
         */
        Scope restore();
    }

    /** A context that is active on a thread. */
    @FunctionalInterface
    interface Scope extends AutoCloseable {

        /** Restores the previous values of the thread. Called on the thread on which the context was restored. */
        @Override
        void close();
    }
}
