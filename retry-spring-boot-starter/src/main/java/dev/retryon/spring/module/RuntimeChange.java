// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Settings that an operator has changed while the application runs. Such a change overrides all settings except the
 * overrides for an individual call.
 *
 * @param settings the changed settings, at least one
 * @param by the user who made the change; {@code null} if unknown
 * @param until when the change expires; {@code null} if it never expires
 */
public record RuntimeChange(
        Target target,
        RetrySettings settings,
        Instant since,
        @Nullable String by,
        @Nullable Instant until) {

    /** The maximum duration of a change. */
    public static final Duration LONGEST = Duration.ofDays(365);

    /** The kinds of changes, from the weakest to the strongest. */
    public enum Scope {

        /** All retries. */
        ALL(""),

        /** The retries that use a policy of {@code retryon.policies}. */
        POLICY("policies/"),

        /** The retries that use a budget. */
        BUDGET("budgets/"),

        /** The methods that the selector of a group of settings selects, such as {@code lanes/mail}. */
        SELECTED(""),

        /** The retries that have a given name. */
        NAME("");

        private final String path;

        Scope(String path) {
            this.path = path;
        }
    }

    /**
     * The target of a change. On a node, a name can have two changes: one for this node, and one that all nodes share.
     *
     * @param name the name to which the change applies; empty for {@link Scope#ALL}
     * @param shared whether the change applies to all nodes that share a store; {@code false} for this process only
     */
    public record Target(Scope scope, String name, boolean shared) {

        /** Returns the path below {@code /actuator/retryon}; empty for {@link Scope#ALL}. */
        public String path() {
            return scope.path + name;
        }
    }

    /** Returns the changed settings as a layer that names this change. */
    public RetrySettings layer() {
        return settings.from(SettingSource.operator(this));
    }

    /**
     * Merges new values into the settings of an earlier change. Throws an IllegalArgumentException that lists all
     * invalid values.
     */
    public static RetrySettings read(@Nullable RuntimeChange before, Map<String, @Nullable String> values) {
        Map<String, Setting<?>> known = new TreeMap<>();
        Setting.ofOperators().forEach(setting -> known.put(setting.attribute(), setting));
        List<String> wrong = new ArrayList<>();
        RetrySettings.Builder settings = RetrySettings.builder();
        values.forEach((attribute, text) -> {
            Setting<?> setting = known.get(attribute);
            if (setting == null) {
                wrong.add("'" + attribute + "' cannot be changed while the application runs; use one of "
                        + String.join(", ", new TreeSet<>(known.keySet())));
            } else if (text != null && text.isBlank()) {
                wrong.add(attribute + " is '" + text + "', but must have a value; send null to revert its change");
            } else if (text != null) {
                settings.read(setting, text, wrong::add);
            }
        });
        if (before != null) {
            before.settings().values().keySet().stream()
                    .filter(setting -> !values.containsKey(setting.attribute()))
                    .forEach(setting -> settings.copy(setting, before.settings()));
        }
        if (!wrong.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", wrong));
        }
        return settings.build();
    }
}
