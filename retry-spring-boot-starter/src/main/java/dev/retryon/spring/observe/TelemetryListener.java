/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.observe;

import dev.retryon.RetryListener;
import dev.retryon.spring.method.RetriedMethods;
import dev.retryon.spring.method.RetryBudgets;
import dev.retryon.spring.settings.RuntimeFaults;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.time.Clock;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;

/**
 * A listener that makes retries visible, or hands events on. Its failures are those of what it hands events to.
 *
 * @since 0.1.0
 */
public interface TelemetryListener extends RetryListener {

    /**
     * What is at fault if this listener fails.
     *
     * @return the kind of fault
     */
    RuntimeFaults.Kind faultKind();

    /**
     * Logs retried calls to {@code dev.retryon.retries}. Lines that are held back are written when the listener is closed.
     *
     * @param interval how long lines of one name and kind are held back after one was written; zero to write every line
     * @param faults where failing appenders are counted
     * @return a closeable listener
     * @throws IllegalArgumentException if the interval is negative
     */
    static RetryListener log(Duration interval, RuntimeFaults faults) {
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
     * Marks each retry in the observation that is current. Needs Micrometer's observations.
     *
     * @param registry the registry, looked up at the first retry; nothing is marked without a unique one
     * @return a listener
     */
    static RetryListener observations(ObjectProvider<ObservationRegistry> registry) {
        return new RetryObservations(registry);
    }

    /**
     * Meters retried calls. Needs Micrometer. Nothing is looked up before the start is complete, or before the first event.
     *
     * @param registry the registry; nothing is metered without a unique one
     * @param contributors sources of further tags
     * @param methods the retried methods
     * @param budgets the retry budgets
     * @param stores reads how many calls are kept
     * @param faults what goes wrong at run time, which is metered too
     * @return a listener
     */
    static RetryListener meters(
            ObjectProvider<MeterRegistry> registry,
            ObjectProvider<RetryTagsContributor> contributors,
            RetriedMethods methods,
            ObjectProvider<RetryBudgets> budgets,
            StoreReadings stores,
            RuntimeFaults faults) {
        return new RetryMeters(
                registry, contributors, methods, budgets, new StoreGauges(stores, Clock.systemUTC()), faults);
    }

    /**
     * Guards a listener: its failure is counted and logged once, and changes nothing else.
     *
     * @param listener the listener
     * @param faults where its failures are reported
     * @return a listener that does not throw
     */
    static RetryListener guarded(RetryListener listener, RuntimeFaults faults) {
        return new GuardedListener(listener, faults);
    }
}
