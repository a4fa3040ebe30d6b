// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.observe;

import dev.retryon.DeadLettered;
import dev.retryon.ExhaustionAction;
import dev.retryon.ExtensionErrorListener;
import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.durable.internal.settings.DurableGroup;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.RetriedMethod;
import dev.retryon.spring.module.RetriedMethods;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.util.Set;
import java.util.function.Consumer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Registers the gauges of the store once the application has a method that keeps calls there, because reading them opens the
 * store. The failure of a registry is counted and logged once.
 */
public final class StoreMeters implements RetryListener, SmartInitializingSingleton {

    private final ObjectProvider<MeterRegistry> registry;

    private final RetriedMethods retries;

    private final StoreGauges gauges;

    private final Set<String> lanes;

    private final boolean areLettersResent;

    private final ExtensionErrors errors;

    /** @param areLettersResent whether the calls of dead letters become stored calls when they are resent */
    public StoreMeters(
            ObjectProvider<MeterRegistry> registry,
            RetriedMethods retries,
            StoreReadings readings,
            Set<String> lanes,
            boolean areLettersResent,
            ExtensionErrors errors) {
        this.registry = registry;
        this.retries = retries;
        this.gauges = new StoreGauges(readings, Clock.systemUTC());
        this.lanes = lanes;
        this.areLettersResent = areLettersResent;
        this.errors = errors;
    }

    @Override
    public void onEvent(RetryEvent event) {
        if (event instanceof DeadLettered) {
            register(event.name(), this::letters);
        }
    }

    @Override
    public void afterSingletonsInstantiated() {
        retries.observePolicies((name, policy) -> {
            if (policy.onExhaustion() == ExhaustionAction.DEAD_LETTER) {
                register(name, this::letters);
            }
        });
        retries.observeMethods(this::observe);
    }

    private void observe(RetriedMethod method) {
        if (method.isHandedOver()) {
            register(method.name(), known -> {
                gauges.letters(known);
                gauges.calls(known, lanes);
                if (method.settings().isSet(DurableGroup.UNIQUE_KEY)) {
                    gauges.duplicates(known, method.name());
                }
            });
        }
    }

    private void letters(MeterRegistry known) {
        gauges.letters(known);
        if (areLettersResent) {
            gauges.calls(known, lanes);
        }
    }

    private void register(String name, Consumer<MeterRegistry> gauge) {
        try {
            registry.ifUnique(gauge);
        } catch (Throwable ex) {
            errors.report(
                    ExtensionErrorListener.Kind.METER,
                    name,
                    "the meter registry failed, so gauges of the store are missing",
                    ex);
        }
    }
}
