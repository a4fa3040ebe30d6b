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
        return changeable(fixed).equals(other.changeable(fixed));
    }

    /** Returns the blocks, without those that have only fixed settings. */
    private Map<String, Object> changeable(Set<Setting<?>> fixed) {
        Map<String, Object> blocks = new LinkedHashMap<>();
        Stream.of(Stream.of(defaults), policies.values().stream(), methods.values().stream())
                .flatMap(layers -> layers)
                .map(layer -> layer.without(fixed::contains))
                .filter(layer -> !layer.isEmpty())
                .forEach(layer -> blocks.put(layer.source().describe(), layer));
        budgets.forEach((name, budget) ->
                blocks.put("retryon.budgets." + name, budget.build().toString()));
        return blocks;
    }
}
