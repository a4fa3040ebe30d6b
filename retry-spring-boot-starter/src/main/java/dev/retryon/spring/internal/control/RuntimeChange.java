/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.control;

import dev.retryon.spring.RetrySettings;
import dev.retryon.spring.internal.settings.EffectiveSettings;
import dev.retryon.spring.internal.settings.RetryLayer;
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
 * @param scope what kind of thing the name is
 * @param name the name of what is changed; empty for {@link Scope#ALL}
 * @param settings the changed settings, at least one
 * @param since when it was changed
 * @param by who did it; {@code null} if that is not known
 * @param until when it ends by itself; {@code null} if it does not
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

    /**
     * The target of one change. For one name, a node may have its own change and one that all nodes share.
     *
     * @param scope what kind of thing the name is
     * @param name the name; empty for {@link Scope#ALL}
     * @param shared whether all nodes that share a store are meant
     */
    public record Target(Scope scope, String name, boolean shared) {}

    /** The path at which the change is made and reverted, below {@code /actuator/retryon}; empty for {@link Scope#ALL}. */
    public String path() {
        return scope.path + name;
    }

    /**
     * Reads a change that was made for all nodes.
     *
     * @param target what is changed
     * @param values texts by attribute
     * @param since when it was changed
     * @param by who did it; {@code null} if that is not known
     * @param until when it ends by itself; {@code null} if it does not
     * @return the change
     * @throws IllegalArgumentException if anything is wrong with the values
     */
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
        return new RetryLayer(new SettingSource.Operator(path(), since, by, until, shared), settings);
    }

    boolean isOf(Target target) {
        return scope == target.scope() && name.equals(target.name()) && shared == target.shared();
    }

    /** Whether a method is meant, of which the layers without those of operators are given. */
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
