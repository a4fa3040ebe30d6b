// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.control;

import dev.retryon.budget.RetryBudget;
import dev.retryon.spring.RetrySettingsChanged;
import dev.retryon.spring.internal.settings.ConfiguredLayers;
import dev.retryon.spring.internal.settings.RetryLayer;
import dev.retryon.spring.internal.settings.RetrySettings;
import dev.retryon.spring.internal.settings.Setting;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The differences between the new and the current properties.
 *
 * @param configured the new properties, with the old values where they can't change while the application runs
 * @param changed the blocks that have changed, such as {@code retryon.policies.payments}
 * @param kept the properties whose changes have no effect before the next start, such as {@code
 *     retryon.defaults.lane}
 * @param unaware the names of HTTP clients and of retries of the registry that keep their settings, because these
 *     already belong to the application
 */
record PropertyChanges(ConfiguredLayers configured, List<String> changed, List<String> kept, Set<String> unaware) {

    static PropertyChanges between(ConfiguredLayers now, ConfiguredLayers read, StandaloneSwitches others) {
        List<String> changed = new ArrayList<>();
        List<String> kept = new ArrayList<>();
        if (!now.pointcuts().equals(read.pointcuts())) {
            kept.add("retryon.pointcuts");
        }
        if (!Objects.equals(now.maxAttemptsLimit(), read.maxAttemptsLimit())) {
            kept.add("retryon.limits.max-attempts");
        }
        RetryLayer defaults = layer(now.defaults(), read.defaults(), changed, kept);
        ConfiguredLayers configured = new ConfiguredLayers(
                defaults == null ? read.defaults() : defaults,
                layers(now.policies(), read.policies(), changed, kept),
                layers(now.methods(), read.methods(), changed, kept),
                now.pointcuts(),
                read.budgets(),
                now.maxAttemptsLimit());
        for (String name : union(now.budgets(), read.budgets())) {
            if (!Objects.equals(
                    parameters(now.budgets().get(name)),
                    parameters(read.budgets().get(name)))) {
                changed.add("retryon.budgets." + name);
            }
        }
        return new PropertyChanges(configured, List.copyOf(changed), List.copyOf(kept), others.madeOf(changed));
    }

    /** Describes the applied changes; {@code null} if there are none. */
    @Nullable RetrySettingsChanged event() {
        return changed.isEmpty()
                ? null
                : new RetrySettingsChanged("", null, "properties taken over: " + String.join(", ", changed));
    }

    private static TreeSet<String> union(Map<String, ?> some, Map<String, ?> others) {
        TreeSet<String> all = new TreeSet<>(some.keySet());
        all.addAll(others.keySet());
        return all;
    }

    private static @Nullable String parameters(RetryBudget.@Nullable Builder budget) {
        return budget == null ? null : budget.build().toString();
    }

    private static Map<String, RetryLayer> layers(
            Map<String, RetryLayer> now, Map<String, RetryLayer> read, List<String> changed, List<String> kept) {
        Map<String, RetryLayer> layers = new LinkedHashMap<>();
        for (String name : union(now, read)) {
            RetryLayer layer = layer(now.get(name), read.get(name), changed, kept);
            if (layer != null) {
                layers.put(name, layer);
            }
        }
        return layers;
    }

    /** The layer that applies from now on; {@code null} if it was removed. */
    private static @Nullable RetryLayer layer(
            @Nullable RetryLayer now, @Nullable RetryLayer read, List<String> changed, List<String> kept) {
        if (read == null) {
            if (now != null) {
                changed.add(now.source().describe());
            }
            return null;
        }
        if (now != null && now.settings().values().equals(read.settings().values())) {
            return now;
        }
        RetrySettings before = now == null ? RetrySettings.builder().build() : now.settings();
        RetrySettings.Builder settings = RetrySettings.builder();
        read.settings().values().keySet().stream()
                .filter(setting -> !ChangeRules.FIXED.contains(setting))
                .forEach(setting -> settings.copy(setting, read.settings()));
        for (Setting<?> fixed : ChangeRules.FIXED) {
            if (before.get(fixed) != null) {
                settings.copy(fixed, before);
            }
            if (!Objects.equals(before.get(fixed), read.settings().get(fixed))) {
                kept.add(read.source().describe() + "." + fixed.property());
            }
        }
        RetryLayer layer = new RetryLayer(read.source(), settings.build(), read.faults(), read.placeholders());
        if (!layer.settings().values().equals(before.values()) || now == null) {
            changed.add(read.source().describe());
        }
        return layer;
    }
}
