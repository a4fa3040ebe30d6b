// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.settings;

import dev.retryon.budget.RetryBudget;
import dev.retryon.spring.module.RetrySettings;
import dev.retryon.spring.module.Setting;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The layers in the application's properties: policies and budgets by name, methods by class or method. Without a limit,
 * {@code maxAttemptsLimit} is {@code null}. Immutable.
 */
public record ConfiguredLayers(
        RetrySettings defaults,
        Map<String, RetrySettings> policies,
        Map<String, RetrySettings> methods,
        Map<String, RetryBudget.Builder> budgets,
        @Nullable Integer maxAttemptsLimit) {

    /** Returns the built-in policy with the given name and, over it, the configured one. The list can be empty. */
    public List<RetrySettings> policy(String name) {
        return Stream.concat(Stream.ofNullable(BuiltInPolicies.find(name)), Stream.ofNullable(policies.get(name)))
                .collect(Collectors.toCollection(ArrayList::new));
    }

    public Set<String> policyNames() {
        Set<String> names = new TreeSet<>(BuiltInPolicies.NAMES);
        names.addAll(policies.keySet());
        return names;
    }

    /** Returns these layers with the previous values of the limit and of settings that cannot change at run time. */
    public ConfiguredLayers keeping(Set<Setting<?>> fixed, ConfiguredLayers before) {
        return new ConfiguredLayers(
                defaults.keeping(fixed, before.defaults),
                keeping(fixed, policies, before.policies),
                keeping(fixed, methods, before.methods),
                budgets,
                before.maxAttemptsLimit);
    }

    private static Map<String, RetrySettings> keeping(
            Set<Setting<?>> fixed, Map<String, RetrySettings> layers, Map<String, RetrySettings> before) {
        Map<String, RetrySettings> kept = new LinkedHashMap<>();
        layers.forEach((name, layer) -> kept.put(name, layer.keeping(fixed, before.get(name))));
        return kept;
    }

    /** Returns whether all budgets are the same, and all settings except those that cannot change while the application runs. */
    public boolean isLike(ConfiguredLayers other, Set<Setting<?>> fixed) {
        return settings(Map.of("", defaults), fixed).equals(settings(Map.of("", other.defaults), fixed))
                && settings(policies, fixed).equals(settings(other.policies, fixed))
                && settings(methods, fixed).equals(settings(other.methods, fixed))
                && print(budgets).equals(print(other.budgets));
    }

    /** Returns the blocks without the given settings. A block that has only such settings is omitted. */
    private static Map<String, RetrySettings> settings(Map<String, RetrySettings> layers, Set<Setting<?>> fixed) {
        Map<String, RetrySettings> settings = new LinkedHashMap<>();
        layers.forEach((name, layer) -> {
            RetrySettings left = layer.without(fixed::contains);
            if (!left.isEmpty()) {
                settings.put(name, left);
            }
        });
        return settings;
    }

    private static Map<String, String> print(Map<String, RetryBudget.Builder> budgets) {
        Map<String, String> texts = new LinkedHashMap<>();
        budgets.forEach((name, budget) -> texts.put(name, budget.build().toString()));
        return texts;
    }
}
