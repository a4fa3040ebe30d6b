// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.control;

import dev.retryon.spring.internal.settings.EffectiveSettings;
import dev.retryon.spring.internal.settings.RetryLayer;
import dev.retryon.spring.internal.settings.RetrySettings;
import dev.retryon.spring.internal.settings.Setting;
import dev.retryon.spring.internal.settings.SettingSource;
import java.time.Instant;
import java.util.List;
import java.util.Map;
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

        /** Every retried method. */
        ALL(""),

        /** The methods that have a policy of {@code retryon.policies}. */
        POLICY("policies/"),

        /** The methods that have a budget. */
        BUDGET("budgets/"),

        /** The durable methods in a lane. */
        LANE("lanes/"),

        /** The methods of a name. */
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
        return new RuntimeChange(
                target.scope(), target.name(), ChangeRules.changed(null, values), since, by, until, true);
    }

    RetryLayer layer() {
        return new RetryLayer(SettingSource.operator(path(), since, by, until, shared), settings);
    }

    /** Whether the change applies to a method with these layers, which are without those of operators. */
    boolean concerns(String methodName, List<RetryLayer> layers) {
        return switch (scope) {
            case ALL -> true;
            case POLICY -> layers.stream().anyMatch(layer -> layer.source().equals(SettingSource.policy(name)));
            case BUDGET -> name.equals(EffectiveSettings.defaults().with(layers).get(Setting.BUDGET));
            case LANE -> {
                EffectiveSettings settings = EffectiveSettings.defaults().with(layers);
                yield settings.isDurable() && name.equals(settings.lane());
            }
            case NAME -> name.equals(methodName);
        };
    }
}
