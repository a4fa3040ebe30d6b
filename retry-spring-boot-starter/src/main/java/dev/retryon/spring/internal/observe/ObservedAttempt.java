// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import dev.retryon.spring.internal.policy.RetriedMethod;
import dev.retryon.spring.internal.report.ExtensionErrors;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The observation of one attempt. Failures of its handlers are reported and do not affect the attempt. */
final class ObservedAttempt {

    static final String NAME = "retryon.attempt";

    private final Observation observation;

    private final ObservationRegistry registry;

    private final String name;

    private final ExtensionErrors faults;

    private final AtomicBoolean ended = new AtomicBoolean();

    /** The scope of the thread before the attempt. */
    private final Observation.@Nullable Scope outer;

    private Observation.@Nullable Scope scope;

    /** Starts the observation and makes it current on this thread, until {@link #leave}. */
    ObservedAttempt(ObservationRegistry registry, RetriedMethod method, int number, ExtensionErrors faults) {
        this.registry = registry;
        this.name = method.name();
        this.faults = faults;
        this.outer = registry.getCurrentObservationScope();
        this.observation = Observation.createNotStarted(NAME, registry)
                .contextualName("attempt " + name)
                .lowCardinalityKeyValue("name", name)
                .highCardinalityKeyValue(
                        "code.function.name",
                        method.beanClass().getName() + "." + method.method().getName())
                .highCardinalityKeyValue("retry.attempt", Integer.toString(number));
        guarded(observation::start);
        guarded(() -> scope = observation.openScope());
    }

    Observation observation() {
        return observation;
    }

    /** Makes the former observation of this thread current again. Called on the thread that started the attempt. */
    void leave() {
        guarded(() -> {
            if (scope != null) {
                scope.close();
            }
        });
        // A handler that throws leaves the observation in scope.
        guarded(() -> registry.setCurrentObservationScope(outer));
    }

    /** Ends the observation. Only the first call has an effect. */
    void end(@Nullable Throwable error) {
        if (!ended.compareAndSet(false, true)) {
            return;
        }
        if (error != null) {
            guarded(() -> {
                Throwable cause = cause(error);
                observation
                        .highCardinalityKeyValue("error.type", cause.getClass().getName())
                        .error(cause);
            });
        }
        guarded(observation::stop);
    }

    /** Asks only wrappers for their causes: {@code getCause()} of other errors may be code of the application. */
    private static Throwable cause(Throwable error) {
        Throwable cause = error instanceof CompletionException ? error.getCause() : null;
        return cause != null ? cause(cause) : error;
    }

    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (Throwable ex) {
            report(faults, name, ex);
        }
    }

    static void report(ExtensionErrors faults, String name, Throwable cause) {
        faults.report(
                ExtensionErrors.Kind.OBSERVATION,
                name,
                "the observation of an attempt failed; the attempt continues",
                cause);
    }
}
