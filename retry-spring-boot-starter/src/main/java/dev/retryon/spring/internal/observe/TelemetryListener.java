// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.RetryListener;
import dev.retryon.spring.internal.policy.RetriedMethods;
import dev.retryon.spring.internal.policy.RetryBudgets;
import dev.retryon.spring.internal.report.ExtensionErrors;
import dev.retryon.spring.internal.report.TagValues;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;

/** A listener for logs, meters, observations and application events. */
public interface TelemetryListener extends RetryListener {

    /** The kind of fault to report if this listener fails. */
    ExtensionErrorListener.Kind faultKind();

    /**
     * Logs retried calls to {@code dev.retryon.retries}. When the listener is closed, it writes the number of omitted lines.
     *
     * @param interval minimum time between lines of one name and kind, not negative; zero to write every line
     * @param names the names that are shown separately; calls of others share one
     */
    static RetryListener log(Duration interval, TagValues names, ExtensionErrors faults) {
        return new RetryLogger(interval, names, faults, System::nanoTime);
    }

    static RetryListener applicationEvents(ApplicationContext context, ExtensionErrors errors) {
        return new RetryEventPublisher(context, errors);
    }

    /** Adds an event for each retry to the current observation, if there is a unique registry. */
    static RetryListener observations(ObjectProvider<ObservationRegistry> registry) {
        return new RetryObservations(registry);
    }

    /** Registers meters, if there is a unique registry. Beans are looked up after the start, or at the first event. */
    static RetryListener meters(
            ObjectProvider<MeterRegistry> registry,
            RetriedMethods methods,
            ObjectProvider<RetryBudgets> budgets,
            ExtensionErrors faults) {
        return new RetryMeters(registry, methods, budgets, faults);
    }

    /** Returns a listener that does not throw: failures are counted and logged once, and the call continues. */
    static RetryListener guarded(RetryListener listener, ExtensionErrors faults) {
        return new GuardedListener(listener, faults);
    }
}
