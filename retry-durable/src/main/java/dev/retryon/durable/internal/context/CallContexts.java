/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.context;

import dev.retryon.RetryListener;
import io.micrometer.observation.ObservationRegistry;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/**
 * The context of a call that runs later: the log context and the trace of its caller. Several are used one
 * inside the other. Thread-safe; what fails is left out.
 */
public interface CallContexts {

    /** The name of the observation of an attempt that a worker makes: {@value}. */
    String ATTEMPT = "retryon.durable.attempt";

    /** The log context of the one who asked for a call. Dead letters do not keep it. What it returns stores and restores it. */
    static CallContexts log() {
        return new LogContexts();
    }

    /**
     * The trace that a call is part of. Needs Micrometer's observations.
     *
     * @param registry gives the registry, once the first call is stored or made
     * @return what stores and restores it
     */
    static CallContexts traces(Supplier<ObservationRegistry> registry) {
        return new ObservedContexts(registry);
    }

    /**
     * Marks observations of attempts that failed. Needs Micrometer's observations.
     *
     * @param registry the registry, looked up at the first retry
     * @return a listener
     */
    static RetryListener attempts(ObjectProvider<ObservationRegistry> registry) {
        return new AttemptObservations(registry);
    }

    /**
     * Collects what is to be stored with a call.
     *
     * @param call what is stored
     * @param context takes short texts
     */
    void capture(Call call, Map<String, String> context);

    /**
     * Begins to make a stored call.
     *
     * @param call what is made
     * @param context what {@link #capture} has collected, perhaps in another process, and perhaps edited since
     * @return the surroundings of the thread
     */
    Scope restore(Call call, Map<String, String> context);

    /** A call, as it is stored. */
    enum Form {
        /** A durable call, of which a worker makes attempts. */
        DURABLE,

        /** A dead letter, which is sent again. */
        DEAD_LETTER
    }

    /**
     * A call that is stored or made.
     *
     * @param form what it is stored as
     * @param id the id of the call
     * @param name the name of what is called, as in events
     * @param method the canonical name of the method, {@link dev.retryon.CallSubject#key()}
     * @param attempt the number of the attempt that has failed or is made; 0 if none was made yet
     */
    record Call(Form form, String id, String name, String method, int attempt) {}

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
