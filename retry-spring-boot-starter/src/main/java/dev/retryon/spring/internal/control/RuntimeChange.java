// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.control;

import dev.retryon.spring.RetrySettingsChanged;
import dev.retryon.spring.internal.policy.NamedRetry;
import dev.retryon.spring.internal.policy.StandaloneRetry;
import dev.retryon.spring.internal.settings.EffectiveSettings;
import dev.retryon.spring.internal.settings.RetryLayer;
import dev.retryon.spring.internal.settings.RetrySettings;
import dev.retryon.spring.internal.settings.Setting;
import dev.retryon.spring.internal.settings.SettingGroup;
import dev.retryon.spring.internal.settings.SettingSource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Settings that an operator has changed while the application runs. They override all settings except those of a
 * single call.
 *
 * @param name empty for {@link Scope#ALL}
 * @param settings at least one
 * @param by the user; {@code null} if not known
 * @param until when the change ends by itself; {@code null} if it does not
 * @param shared whether it was made for all nodes that share a store; {@code false} for this process alone
 */
public record RuntimeChange(
        Scope scope,
        String name,
        RetrySettings settings,
        Instant since,
        @Nullable String by,
        @Nullable Instant until,
        boolean shared) {

    /** The kinds of changes, from the weakest to the strongest. */
    public enum Scope {

        /** All retries. */
        ALL(""),

        /** The retries that have a policy of {@code retryon.policies}. */
        POLICY("policies/"),

        /** The retries that have a budget. */
        BUDGET("budgets/"),

        /** The methods that the selector of a group of settings names, as {@code lanes/mail}. */
        SELECTED(""),

        /** The retries of a name. */
        NAME("");

        private final String path;

        Scope(String path) {
            this.path = path;
        }
    }

    /** A node can have two changes for one name: its own, and one that all nodes share. */
    public record Target(Scope scope, String name, boolean shared) {

        String path() {
            return scope.path + name;
        }
    }

    public Target target() {
        return new Target(scope, name, shared);
    }

    /** The path below {@code /actuator/retryon}; empty for {@link Scope#ALL}. */
    public String path() {
        return scope.path + name;
    }

    /** Reads a change for all nodes. Throws IllegalArgumentException if anything is wrong with the values. */
    public static RuntimeChange shared(
            Target target,
            Map<String, @Nullable String> values,
            Instant since,
            @Nullable String by,
            @Nullable Instant until) {
        return new RuntimeChange(target.scope(), target.name(), read(null, values), since, by, until, true);
    }

    /** The settings of a change with others on top; throws IllegalArgumentException with all that is wrong with them. */
    static RetrySettings read(@Nullable RuntimeChange before, Map<String, @Nullable String> values) {
        Map<String, Setting<?>> known = new TreeMap<>();
        Setting.ofOperators().forEach(setting -> known.put(setting.attribute(), setting));
        List<String> wrong = new ArrayList<>();
        RetrySettings.Builder settings = RetrySettings.builder();
        values.forEach((attribute, text) -> {
            Setting<?> setting = known.get(attribute);
            if (setting == null) {
                wrong.add("'" + attribute + "' can't be changed while the application runs; use one of "
                        + new TreeSet<>(known.keySet()));
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

    /** The layer for a retry that it {@linkplain #concerns concerns}. */
    RetryLayer layer(NamedRetry retry) {
        RetryLayer layer = new RetryLayer(SettingSource.operator(path(), since, by, until, shared), settings);
        // As in retryon.defaults, some settings for everything are for methods alone.
        return scope == Scope.ALL && retry instanceof StandaloneRetry standalone
                ? standalone.withoutMisfits(layer)
                : layer;
    }

    /** Whether the change applies to a retry with these layers, which are without those of operators. */
    boolean concerns(NamedRetry retry, List<RetryLayer> layers) {
        return switch (scope) {
            case ALL -> true;
            case POLICY -> layers.stream().anyMatch(layer -> layer.source().equals(SettingSource.policy(name)));
            case BUDGET -> name.equals(EffectiveSettings.defaults().with(layers).get(Setting.BUDGET));
            case SELECTED -> isSelected(name, EffectiveSettings.defaults().with(layers));
            case NAME -> name.equals(retry.name());
        };
    }

    /** Whether a method with these settings belongs to the value of a selector. */
    static boolean isSelected(String path, EffectiveSettings settings) {
        return SettingGroup.all().stream()
                .filter(group -> group.selector() != null && path.startsWith(group.selector() + '/'))
                .anyMatch(group -> group.selects(path.substring(path.indexOf('/') + 1), settings));
    }

    /**
     * A change that takes the place of another one.
     *
     * @param before the previous change; {@code null} for none
     * @param after the current change; {@code null} if it was reverted
     * @param by the user; {@code null} if not known, or if the change has expired
     */
    record Replacement(
            Target target,
            @Nullable RuntimeChange before,
            @Nullable RuntimeChange after,
            @Nullable String by) {

        boolean isDifferent() {
            return !Objects.equals(before, after);
        }

        RetrySettingsChanged event() {
            return new RetrySettingsChanged(target.path(), by, toString());
        }

        @Override
        public String toString() {
            String what = target.path().isEmpty() ? "all retries" : target.path();
            String who = (target.shared() ? " for all nodes" : "") + (by == null ? "" : " by " + by);
            if (after == null) {
                return what + ": changes reverted" + who;
            }
            String settings = after.settings().texts().entrySet().stream()
                    .map(Map.Entry::toString)
                    .collect(Collectors.joining(", "));
            return what + ": changed" + who + " to " + settings
                    + (after.until() == null ? "" : " until " + after.until());
        }
    }
}
