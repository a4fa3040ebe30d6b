/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import dev.retryon.spi.RetryBuilderSpi;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link Retry}. Not thread-safe.
 *
 * <pre>{@code
 * Retry retry = Retry.builder("catalogue", policy)
 *     .engine(engine)
 *     .recovery((subject, failure) -> "unknown")
 *     .build();
 * }</pre>
 *
 * @since 0.1.0
 */
public final class RetryBuilder {

    private final CallSettings.Draft settings;

    RetryBuilder(String name, RetryPolicy policy) {
        if (name.isBlank()) {
            throw new IllegalArgumentException(
                    "The name of a retry must not be blank; use a name such as \"catalogue\"");
        }
        this.settings = new CallSettings.Draft(name, Objects.requireNonNull(policy, "policy"));
    }

    RetryBuilder(CallSettings.Draft settings) {
        this.settings = settings;
    }

    /**
     * Sets the engine. The default is the {@linkplain RetryEngine#shared() shared engine}.
     *
     * @param engine the engine, with its listeners, deciders and clock
     * @return this builder
     */
    public RetryBuilder engine(RetryEngine engine) {
        settings.engine = Objects.requireNonNull(engine, "engine");
        return this;
    }

    /**
     * Sets the recovery, which returns a value to the caller after all attempts have failed. By default there is
     * none. For asynchronous calls it returns the value or a {@link CompletionStage} of it. If the recovery fails,
     * the caller receives its exception.
     *
     * @param recovery the recovery; its subject and value must have the types of the calls
     * @return this builder
     */
    @SuppressWarnings("unchecked")
    public RetryBuilder recovery(RetryRecovery<?, ?> recovery) {
        settings.recovery = (RetryRecovery<Object, @Nullable Object>) Objects.requireNonNull(recovery, "recovery");
        return this;
    }

    /**
     * Sets the code that runs after each wait and before the next attempt. By default there is none.
     *
     * @param beforeRetry the code; its subject must have the type of the subjects of the calls
     * @return this builder
     */
    @SuppressWarnings("unchecked")
    public RetryBuilder beforeRetry(BeforeRetry<?> beforeRetry) {
        settings.beforeRetry = (BeforeRetry<Object>) Objects.requireNonNull(beforeRetry, "beforeRetry");
        return this;
    }

    /**
     * Sets a listener for the events of this retry only. It is called before the engine's listeners. By default there
     * is none.
     *
     * @param listener the listener
     * @return this builder
     */
    public RetryBuilder listener(RetryListener listener) {
        settings.listener = Objects.requireNonNull(listener, "listener");
        return this;
    }

    /**
     * Sets a switch that ends the retries of these calls at run time. By default there is none.
     *
     * @param retrySwitch the switch
     * @return this builder
     */
    public RetryBuilder retrySwitch(RetrySwitch retrySwitch) {
        settings.retrySwitch = Objects.requireNonNull(retrySwitch, "retrySwitch");
        return this;
    }

    /**
     * Sets how a subject is described to gates, deciders, listeners and backoff strategies. By default the key is the
     * name of the retry, the target is the subject, and there are no arguments.
     *
     * @param subjects describes a subject. It is called at most once per call and only after a failure. Its argument
     *     must have the type of the subjects of the calls
     * @return this builder
     */
    @SuppressWarnings("unchecked")
    public RetryBuilder subjects(Function<?, ? extends CallSubject> subjects) {
        settings.subjects = (Function<Object, CallSubject>) Objects.requireNonNull(subjects, "subjects");
        return this;
    }

    /** {@return the settings of this builder that are for modules} Applications do not need them. */
    public RetryBuilderSpi spi() {
        return new DefaultRetryBuilderSpi(this, settings);
    }

    /** {@return a new retry with the settings of this builder} */
    public Retry build() {
        return new Retry(new CallSettings(settings));
    }
}
