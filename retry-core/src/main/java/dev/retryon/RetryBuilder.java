// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.spi.RetryBuilderSpi;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * Builds a {@link Retry}. Not thread-safe.
 *
 * <pre>{@code
 * Retry retry = Retry.builder("catalogue", policy)
 *     .engine(engine)
 *     .beforeRetry((subject, context) -> tokens.refresh())
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
     * Sets the code that runs after each wait and before the next attempt. By default there is none.
     *
     * @param beforeRetry the code; it accepts any subject, because a retry can run calls with subjects of any type
     * @return this builder
     */
    public RetryBuilder beforeRetry(BeforeRetry<Object> beforeRetry) {
        settings.beforeRetry = Objects.requireNonNull(beforeRetry, "beforeRetry");
        return this;
    }

    /**
     * Adds a listener for the events of this retry only. Such listeners are called in the order in which they were
     * added, before the engine's listeners. By default there is none.
     *
     * @param listener the listener
     * @return this builder
     */
    public RetryBuilder listener(RetryListener listener) {
        List<RetryListener> listeners = new ArrayList<>(settings.listeners);
        listeners.add(Objects.requireNonNull(listener, "listener"));
        settings.listeners = List.copyOf(listeners);
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
     * @param subjects describes a subject of any type. It is called at most once per call and only after a failure
     * @return this builder
     */
    public RetryBuilder subjects(Function<Object, ? extends CallSubject> subjects) {
        settings.subjects = Objects.requireNonNull(subjects, "subjects");
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
