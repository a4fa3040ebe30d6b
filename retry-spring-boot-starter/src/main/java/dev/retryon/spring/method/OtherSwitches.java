/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.spring.settings.EffectiveSettings;
import dev.retryon.spring.settings.Setting;
import dev.retryon.spring.settings.SettingSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What operators can do with retries that are no method's, those of HTTP clients and of the registry: switch them off and on.
 * Their settings were handed to code of the application. Thread-safe.
 */
final class OtherSwitches {

    private final RetriedMethods methods;

    OtherSwitches(RetriedMethods methods) {
        this.methods = methods;
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
        for (Other other : all()) {
            String budget = other.budget();
            if (budget != null) {
                budgets.add(budget);
            }
        }
        return budgets;
    }

    /** The names of those that were made of blocks of properties. */
    Set<String> madeOf(Collection<String> blocks) {
        Set<String> names = new TreeSet<>();
        for (Other other : all()) {
            if (other.isMadeOf(blocks)) {
                names.add(other.name());
            }
        }
        return names;
    }

    /** Turns each switch as the strongest change says that concerns it. */
    void obey(List<RuntimeChange> changes) {
        for (Other other : all()) {
            SettingSource off = null;
            for (RuntimeChange change : changes) {
                Boolean retryable = change.settings().get(Setting.RETRYABLE);
                if (retryable != null && other.isMeantBy(change)) {
                    off = retryable ? null : change.layer().source();
                }
            }
            methods.turn(other.name(), off);
        }
    }

    private List<Other> all() {
        List<Other> all = new ArrayList<>();
        methods.clients().forEach(client -> all.add(new Other(client.name(), client.settings())));
        methods.registered().forEach((name, registered) -> {
            Map<String, EffectiveSettings.Value<?>> settings = new LinkedHashMap<>();
            registered.settings().values().forEach((setting, value) -> settings.put(setting.attribute(), value));
            all.add(new Other(name, settings));
        });
        return all;
    }

    private record Other(String name, Map<String, EffectiveSettings.Value<?>> settings) {

        @Nullable String budget() {
            EffectiveSettings.Value<?> budget = settings.get(Setting.BUDGET.attribute());
            return budget == null ? null : String.valueOf(budget.value());
        }

        /** The defaults are for all but those whose policies are built in code. */
        boolean isMadeOf(Collection<String> blocks) {
            return settings.values().stream()
                    .flatMap(value -> value.sources().stream())
                    .anyMatch(source -> blocks.contains(source.describe())
                            || (source instanceof SettingSource.BuiltIn
                                    && blocks.contains(SettingSource.defaults().describe())));
        }

        boolean isMeantBy(RuntimeChange change) {
            return switch (change.scope()) {
                case ALL -> true;
                case POLICY ->
                    settings.values().stream()
                            .anyMatch(value -> value.sources().contains(SettingSource.policy(change.name())));
                case BUDGET -> change.name().equals(budget());
                case NAME -> change.name().equals(name);
            };
        }
    }
}
