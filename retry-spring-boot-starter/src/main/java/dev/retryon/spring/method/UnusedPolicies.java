/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.spring.expression.RetryExpressions;
import dev.retryon.spring.settings.EffectiveSettings;
import dev.retryon.spring.settings.RetryFaults;
import dev.retryon.spring.settings.RetryLayer;
import dev.retryon.spring.settings.Setting;
import dev.retryon.spring.settings.Suggestion;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Checks policies that no method has: what can be known of a policy without a method. */
record UnusedPolicies(
        RetryExpressions expressions,
        RetryBudgets budgets,
        NamedListeners listeners,
        ConfigurableListableBeanFactory beanFactory,
        RetryFaults faults) {

    void check(Collection<RetryLayer> policies) {
        for (RetryLayer policy : policies) {
            // Where a method or a client has the policy, its faults are recorded by now.
            if (!faults.hasAnyBelow(policy.source().describe())) {
                check(EffectiveSettings.defaults().with(policy));
            }
        }
    }

    private void check(EffectiveSettings settings) {
        for (Setting<String> gate : List.of(Setting.ONLY_IF, Setting.UNLESS, Setting.RETRY_IF)) {
            String text = settings.get(gate);
            if (text != null && !text.isEmpty()) {
                check(gate, settings, () -> expressions.checkForm(text));
            }
        }
        String budget = settings.get(Setting.BUDGET);
        if (budget != null) {
            check(Setting.BUDGET, settings, () -> budgets.requireKnown(budget));
        }
        Set<String> named = settings.get(Setting.LISTENERS);
        if (named != null) {
            check(Setting.LISTENERS, settings, () -> listeners.check(named));
        }
        check(Setting.BACKOFF, settings, () -> checkBackoff(settings));
        String recover = settings.get(Setting.RECOVER);
        if (recover != null) {
            check(Setting.RECOVER, settings, () -> RecoveryMethods.checkForm(recover, beanFactory));
        }
        if (settings.isSet(Setting.DELAY)
                && settings.isSet(Setting.MAX_DELAY)
                && settings.require(Setting.MAX_DELAY).compareTo(settings.require(Setting.DELAY)) < 0) {
            faults.add(PolicyAssembler.maxDelayBelowDelay(settings.place(Setting.MAX_DELAY), settings));
        }
    }

    /** A name that nothing known has may be that of a method in a bean of another application that shares the properties. */
    private void checkBackoff(EffectiveSettings settings) {
        String backoff = settings.require(Setting.BACKOFF);
        Set<String> known = PolicyAssembler.knownBackoffs(beanFactory);
        if (known.contains(backoff)) {
            return;
        }
        String nearest = Suggestion.of(backoff, known);
        if (!nearest.isEmpty()) {
            throw new IllegalArgumentException("must be one of " + known + nearest);
        }
        faults.warn(settings.place(Setting.BACKOFF) + ": backoff is '" + backoff + "', which is none of " + known
                + "; it can only be a method of a bean that uses the policy, and none uses it");
    }

    private void check(Setting<?> setting, EffectiveSettings settings, Runnable check) {
        try {
            check.run();
        } catch (IllegalArgumentException ex) {
            faults.add(
                    settings.place(setting),
                    setting.attribute() + " is '" + settings.get(setting) + "', but " + ex.getMessage());
        }
    }
}
