/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.policy;

import dev.retryon.spring.internal.expression.RetryExpressions;
import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.settings.EffectiveSettings;
import dev.retryon.spring.internal.settings.RetryLayer;
import dev.retryon.spring.internal.settings.Setting;
import java.util.Collection;

/**
 * Checks policies that no method has. They may be for another application that shares the properties, so the classes,
 * beans, budgets and methods that they name are not looked for.
 */
record UnusedPolicies(RetryExpressions expressions, RetryFaults faults) {

    void check(Collection<RetryLayer> policies) {
        for (RetryLayer policy : policies) {
            // If a method or a client uses the policy, its faults are already recorded.
            if (!faults.hasAnyBelow(policy.source().describe())) {
                check(EffectiveSettings.defaults().with(policy));
            }
        }
    }

    private void check(EffectiveSettings settings) {
        for (Setting<String> gate : Setting.expressions()) {
            String text = settings.get(gate);
            if (text != null && !text.isEmpty()) {
                check(gate, settings, () -> expressions.requireParsable(text));
            }
        }
        for (MethodRole role : MethodRole.values()) {
            String reference = settings.get(role.setting());
            if (reference != null) {
                check(role.setting(), settings, () -> RecoveryMethods.requireForm(reference));
            }
        }
        checkDelays(settings);
        settings.rules().values().forEach(this::checkDelays);
    }

    private void checkDelays(EffectiveSettings settings) {
        if (settings.hasMaxDelayBelowDelay()) {
            faults.add(settings.maxDelayBelowDelay(settings.place(Setting.MAX_DELAY)));
        }
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
