/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.control;

import dev.retryon.spring.internal.policy.StandaloneRetries;
import dev.retryon.spring.internal.policy.StandaloneRetry;
import dev.retryon.spring.internal.settings.EffectiveSettings;
import dev.retryon.spring.internal.settings.Setting;
import dev.retryon.spring.internal.settings.SettingSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Switches retries of HTTP clients and of the registry off and on for operators. These retries belong to no method.
 * Their settings were handed to code of the application. Thread-safe.
 */
final class StandaloneSwitches {

    private final StandaloneRetries retries;

    StandaloneSwitches(StandaloneRetries retries) {
        this.retries = retries;
    }

    /** The names of the retries. */
    Set<String> names() {
        Set<String> names = new TreeSet<>();
        all().forEach(other -> names.add(other.name()));
        return names;
    }

    /** The names of their budgets. */
    Set<String> budgets() {
        Set<String> budgets = new TreeSet<>();
        for (StandaloneRetry other : all()) {
            String budget = budget(other);
            if (budget != null) {
                budgets.add(budget);
            }
        }
        return budgets;
    }

    /** The names of those that were made of blocks of properties. */
    Set<String> madeOf(Collection<String> blocks) {
        Set<String> names = new TreeSet<>();
        for (StandaloneRetry other : all()) {
            if (isMadeOf(other, blocks)) {
                names.add(other.name());
            }
        }
        return names;
    }

    /** Turns each switch as the strongest change says that concerns it. */
    void obey(List<RuntimeChange> changes) {
        for (StandaloneRetry other : all()) {
            SettingSource off = null;
            for (RuntimeChange change : changes) {
                Boolean retryable = change.settings().get(Setting.RETRYABLE);
                if (retryable != null && isMeantBy(other, change)) {
                    off = retryable ? null : change.layer().source();
                }
            }
            retries.turn(other.name(), off);
        }
    }

    private List<StandaloneRetry> all() {
        List<StandaloneRetry> all = new ArrayList<>(retries.clients());
        all.addAll(retries.registered().values());
        return all;
    }

    private static @Nullable String budget(StandaloneRetry retry) {
        EffectiveSettings.Value<?> budget = retry.settings().get(Setting.BUDGET.attribute());
        return budget == null ? null : String.valueOf(budget.value());
    }

    /** The defaults are for all but those whose policies are built in code. */
    private static boolean isMadeOf(StandaloneRetry retry, Collection<String> blocks) {
        return retry.settings().values().stream()
                .flatMap(value -> value.sources().stream())
                .anyMatch(source -> blocks.contains(source.describe())
                        || (source instanceof SettingSource.BuiltIn
                                && blocks.contains(SettingSource.defaults().describe())));
    }

    private static boolean isMeantBy(StandaloneRetry retry, RuntimeChange change) {
        return switch (change.scope()) {
            case ALL -> true;
            case POLICY ->
                retry.settings().values().stream()
                        .anyMatch(value -> value.sources().contains(SettingSource.policy(change.name())));
            case BUDGET -> change.name().equals(budget(retry));
            case LANE -> false;
            case NAME -> change.name().equals(retry.name());
        };
    }
}
