// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

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

/** Creates the listeners for logs, meters, observations and application events. */
public final class TelemetryListeners {

    private TelemetryListeners() {}

    /**
     * Logs retried calls to {@code dev.retryon.retries}. When the listener is closed, it writes the number of omitted lines.
     *
     * @param interval minimum time between lines of one name and kind, not negative; zero to write every line
     * @param names the names that are shown separately; calls of others share one
     */
    public static RetryListener log(Duration interval, TagValues names, ExtensionErrors faults) {
        return new RetryLogger(interval, names, faults, System::nanoTime);
    }

    public static RetryListener applicationEvents(ApplicationContext context, ExtensionErrors errors) {
        return new RetryEventPublisher(context, errors);
    }

    /** Adds an event for each retry to the current observation, if there is a unique registry. */
    public static RetryListener observations(ObjectProvider<ObservationRegistry> registry, ExtensionErrors errors) {
        return new RetryObservations(registry, errors);
    }

    /** Registers meters, if there is a unique registry. Beans are looked up after the start, or at the first event. */
    public static RetryListener meters(
            ObjectProvider<MeterRegistry> registry,
            RetriedMethods methods,
            ObjectProvider<RetryBudgets> budgets,
            ExtensionErrors faults) {
        return new RetryMeters(registry, methods, budgets, faults);
    }
}
