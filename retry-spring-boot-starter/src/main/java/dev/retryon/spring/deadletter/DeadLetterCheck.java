/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.deadletter;

import dev.retryon.OnExhaustion;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.spring.codec.StoredArguments;
import dev.retryon.spring.method.MethodsCheck;
import dev.retryon.spring.method.RetriedMethod;
import dev.retryon.spring.settings.Place;
import dev.retryon.spring.settings.RetryConfigurationException;
import dev.retryon.spring.settings.RetryFaults;
import dev.retryon.spring.settings.RetryWarning;
import dev.retryon.spring.settings.Setting;
import dev.retryon.spring.settings.WriteRights;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.springframework.beans.BeansException;

/**
 * Finds methods whose calls are to be kept and can't be: because of their parameters, or because there is no store. Nothing is
 * looked at, and no store opened, unless a method asks for it.
 */
final class DeadLetterCheck implements MethodsCheck {

    private final Supplier<DeadLetterStore> store;

    private final Supplier<StoredArguments> arguments;

    DeadLetterCheck(Supplier<DeadLetterStore> store, Supplier<StoredArguments> arguments) {
        this.store = store;
        this.arguments = arguments;
    }

    @Override
    public void check(List<RetriedMethod> methods, RetryFaults faults) {
        List<RetriedMethod> kept = methods.stream()
                .filter(method -> method.policy().onExhaustion() == OnExhaustion.DEAD_LETTER)
                .toList();
        for (RetriedMethod method : kept) {
            Place place = method.settings().place(Setting.ON_EXHAUSTION);
            for (String problem : arguments.get().faults(method.beanClass(), method.method())) {
                faults.add(place, "onExhaustion is 'dead-letter', but " + problem);
            }
            for (String warning : arguments.get().warnings(method.beanClass(), method.method())) {
                faults.warn(RetryWarning.ARGUMENT, place + ": " + warning);
            }
        }
        if (!kept.isEmpty()) {
            openStore(faults);
        }
    }

    private void openStore(RetryFaults faults) {
        try {
            DeadLetterStore found = Objects.requireNonNull(store.get());
            String missing = found instanceof WriteRights rights ? rights.missingRight() : null;
            if (missing != null) {
                faults.add(
                        "retryon.durable.store", "leads to a database whose user can't keep dead letters: " + missing);
            }
        } catch (BeansException ex) {
            if (ex.getRootCause() instanceof RetryConfigurationException wrong) {
                wrong.faults().forEach(faults::add);
            } else {
                throw ex;
            }
        }
    }
}
