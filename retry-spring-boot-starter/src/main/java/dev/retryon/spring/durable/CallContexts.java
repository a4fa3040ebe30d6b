/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import java.util.Map;

/**
 * What surrounds a call that is made later: the log context of the one who asked for it, and his trace. Several are used one
 * inside the other. Thread-safe; what fails is left out.
 *
 * @since 0.1.0
 */
public interface CallContexts {

    /**
     * Collects what is to be stored with a call.
     *
     * @param name the name of what is called
     * @param context takes short texts
     */
    void capture(String name, Map<String, String> context);

    /**
     * Begins an attempt of a stored call.
     *
     * @param name the name of what is called
     * @param context what {@link #capture} has collected, perhaps in another process
     * @return to be closed when the attempt has ended
     */
    Scope restore(String name, Map<String, String> context);

    /** The surroundings of an attempt. */
    @FunctionalInterface
    interface Scope extends AutoCloseable {

        @Override
        void close();
    }
}
