/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.context;

import dev.retryon.ContextCapture;
import io.micrometer.observation.ObservationRegistry;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What surrounds a call that is made later: the log context of the one who asked for it, and the trace. Several are used one
 * inside the other. Thread-safe; what fails is left out.
 *
 * @since 0.1.0
 */
public interface CallContexts {

    /** The name of the observation of an attempt that a worker makes: {@value}. */
    String ATTEMPT = "retryon.durable.attempt";

    /**
     * The log context of the one who asked for a call. Dead letters do not keep it.
     *
     * @return what stores and restores it
     */
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
     * What the caller of an asynchronous call has in thread-locals, for later attempts in this process. Needs Micrometer's
     * context propagation.
     *
     * @return what captures and restores it
     */
    static ContextCapture threadLocals() {
        return new PropagatedContext();
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

    /** What a call is stored as. */
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

        /** Puts back what the thread had before; called on the thread on which the context was restored. */
        @Override
        void close();

        /**
         * What was made has ended. Called once, after {@link #close}, on any thread. The default does nothing.
         *
         * @param error what it ended with; {@code null} if it succeeded, or if the error was seen already
         */
        default void end(@Nullable Throwable error) {}
    }
}
