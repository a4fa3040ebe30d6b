/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.stored;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The context of a call that runs later: the log context and the trace of its caller. Several are used one
 * inside the other. Thread-safe; what fails is left out.
 */
public interface CallContexts {

    /** Adds short texts that are stored with a call to its context. */
    void capture(Call call, Map<String, String> context);

    /**
     * Begins to make a stored call.
     *
     * @param context what {@link #capture} has collected, perhaps in another process, and perhaps edited since
     */
    Scope restore(Call call, Map<String, String> context);

    /**
     * A call that is stored or made.
     *
     * @param isLetter whether it is stored as a dead letter, which is sent again, and not as a durable call
     * @param method the canonical name of the method, {@link dev.retryon.CallSubject#key()}
     * @param attempt the number of the attempt that has failed or is made; 0 if none was made yet
     */
    record Call(boolean isLetter, String id, String name, String method, int attempt) {}

    /** The surroundings of a call that is made. */
    @FunctionalInterface
    interface Scope extends AutoCloseable {

        /** Restores the previous context of the thread; called on the thread on which the context was restored. */
        @Override
        void close();

        /**
         * The call or the attempt has ended. Called once, after {@link #close}, on any thread. The default does
         * nothing.
         *
         * @param error what it ended with; {@code null} if it succeeded, or if the error was seen already
         */
        default void end(@Nullable Throwable error) {}
    }
}
