/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.observe;

import dev.retryon.RetryListener;
import dev.retryon.spring.RetryTagsContributor;
import dev.retryon.spring.internal.policy.RetriedMethods;
import dev.retryon.spring.internal.policy.RetryBudgets;
import dev.retryon.spring.internal.report.ExtensionErrors;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;

/** A listener for logs, meters, observations and application events. */
public interface TelemetryListener extends RetryListener {

    /** The kind of fault to report if this listener fails. */
    ExtensionErrors.Kind faultKind();

    /**
     * Logs retried calls to {@code dev.retryon.retries}. Delayed lines are written when the listener is closed.
     *
     * @param interval minimum time between lines of one name and kind; zero to write every line
     * @param faults where failing appenders are counted
     * @return a closeable listener
     * @throws IllegalArgumentException if the interval is negative
     */
    static RetryListener log(Duration interval, ExtensionErrors faults) {
        return new RetryLogger(interval, faults);
    }

    /**
     * Publishes events as application events.
     *
     * @param context the application's context
     * @return a listener
     */
    static RetryListener applicationEvents(ApplicationContext context) {
        return new RetryEventPublisher(context);
    }

    /**
     * Adds an event for each retry to the current observation. Needs Micrometer's observations.
     *
     * @param registry the registry, looked up at the first retry; nothing is marked without a unique one
     * @return a listener
     */
    static RetryListener observations(ObjectProvider<ObservationRegistry> registry) {
        return new RetryObservations(registry);
    }

    /**
     * Registers meters for retried calls. Needs Micrometer. Beans are looked up after the start, or at the first event.
     *
     * @param registry the registry; nothing is metered without a unique one
     * @param contributors sources of further tags
     * @param methods the retried methods
     * @param budgets the retry budgets
     * @param faults the faults at run time, which are metered too
     * @return a listener
     */
    static RetryListener meters(
            ObjectProvider<MeterRegistry> registry,
            ObjectProvider<RetryTagsContributor> contributors,
            RetriedMethods methods,
            ObjectProvider<RetryBudgets> budgets,
            ExtensionErrors faults) {
        return new RetryMeters(registry, contributors, methods, budgets, faults);
    }

    /**
     * Guards a listener: its failures are counted and logged once, and the call continues.
     *
     * @param listener the listener
     * @param faults where its failures are reported
     * @return a listener that does not throw
     */
    static RetryListener guarded(RetryListener listener, ExtensionErrors faults) {
        return new GuardedListener(listener, faults);
    }
}
