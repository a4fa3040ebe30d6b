/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import io.micrometer.observation.ObservationRegistry;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What surrounds a call that is made later: the log context of the one who asked for it, and his trace. Several are used one
 * inside the other. Thread-safe; what fails is left out.
 *
 * @since 0.1.0
 */
public interface CallContexts {

    /**
     * The log context of the one who asked for a call.
     *
     * @return what stores and restores it
     */
    static CallContexts log() {
        return new LogContexts();
    }

    /**
     * The trace of the one who asked for a call. Needs Micrometer's observations.
     *
     * @param registry gives the registry, once the first call is stored or made
     * @return what stores and restores it
     */
    static CallContexts traces(Supplier<ObservationRegistry> registry) {
        return new ObservedContexts(registry);
    }

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
