/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Builds a retry. Not thread-safe.
 *
 * @since 0.1.0
 */
public final class RetryBuilder {

    private final CallSettings.Draft settings;

    RetryBuilder(String name, RetryPolicy policy) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("a retry needs a name that is not blank");
        }
        this.settings = new CallSettings.Draft(name, Objects.requireNonNull(policy, "policy"));
    }

    RetryBuilder(CallSettings.Draft settings) {
        this.settings = settings;
    }

    CallSettings.Draft settings() {
        return settings;
    }

    /**
     * The engine. Default the {@linkplain RetryEngine#shared() shared one}.
     *
     * @param engine listeners, deciders, time and chance
     * @return this builder
     */
    public RetryBuilder engine(RetryEngine engine) {
        settings.engine = Objects.requireNonNull(engine, "engine");
        return this;
    }

    /**
     * What serves callers of calls that ended in failure. Default nothing. For asynchronous calls it returns the value
     * or a {@link CompletionStage} of it; if that fails, the caller gets its error.
     *
     * @param recovery the recovery; its subject and value must be of the types of the calls that are made
     * @return this builder
     */
    @SuppressWarnings("unchecked")
    public RetryBuilder recovery(RetryRecovery<?, ?> recovery) {
        settings.recovery = (RetryRecovery<Object, @Nullable Object>) Objects.requireNonNull(recovery, "recovery");
        return this;
    }

    /**
     * Sets a listener for the events of this retry's calls alone. It receives them before the engine's listeners. Default none.
     *
     * @param listener the listener
     * @return this builder
     */
    public RetryBuilder listener(RetryListener listener) {
        settings.listener = Objects.requireNonNull(listener, "listener");
        return this;
    }

    /**
     * What can end the retries of these calls while the application runs. Default nothing.
     *
     * @param retrySwitch the switch
     * @return this builder
     * @since 0.1.0
     */
    public RetryBuilder retrySwitch(RetrySwitch retrySwitch) {
        settings.retrySwitch = Objects.requireNonNull(retrySwitch, "retrySwitch");
        return this;
    }

    /**
     * How the subject of a call is described to gates, deciders, listeners and backoff strategies. Default the retry's
     * name as the key, the subject as the target, and no arguments.
     *
     * @param subjects makes the description, at most once a call and only after a failure; its argument must be of the
     *     type of the subjects that calls are made with
     * @return this builder
     * @since 0.1.0
     */
    @SuppressWarnings("unchecked")
    public RetryBuilder subjects(Function<?, ? extends CallSubject> subjects) {
        settings.subjects = (Function<Object, CallSubject>) Objects.requireNonNull(subjects, "subjects");
        return this;
    }

    /**
     * Builds the retry.
     *
     * @return the retry
     */
    public Retry build() {
        return new Retry(new CallSettings(settings));
    }
}
