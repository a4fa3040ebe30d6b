/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.spring.settings.EffectiveSettings;
import dev.retryon.spring.settings.RetryLayer;
import dev.retryon.spring.settings.RetrySettings;
import dev.retryon.spring.settings.Setting;
import dev.retryon.spring.settings.SettingSource;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an operator has changed while the application runs: settings that are stronger than all but those of a single call.
 *
 * @param scope what kind of thing the name is
 * @param name the name of what is changed; empty for {@link Scope#ALL}
 * @param settings the changed settings, at least one
 * @param since when it was changed
 * @param by who did it; {@code null} if that is not known
 * @param until when it ends by itself; {@code null} if it does not
 * @since 0.1.0
 */
public record RuntimeChange(
        Scope scope,
        String name,
        RetrySettings settings,
        Instant since,
        @Nullable String by,
        @Nullable Instant until) {

    /** What can be changed, from the weakest to the strongest. */
    public enum Scope {

        /** Every retried method. */
        ALL(""),

        /** The methods that have a policy of {@code retryon.policies}. */
        POLICY("policies/"),

        /** The methods that have a budget. */
        BUDGET("budgets/"),

        /** The methods of a name. */
        NAME("");

        private final String path;

        Scope(String path) {
            this.path = path;
        }
    }

    /**
     * Where it is changed and taken back.
     *
     * @return a path below {@code /actuator/retryon}; empty for {@link Scope#ALL}
     */
    public String path() {
        return scope.path + name;
    }

    RetryLayer layer() {
        return new RetryLayer(new SettingSource.Operator(path(), since, by, until), settings);
    }

    boolean isOf(Scope otherScope, String otherName) {
        return scope == otherScope && name.equals(otherName);
    }

    /** Whether a method is meant, of which the layers without those of operators are given. */
    boolean concerns(String methodName, List<RetryLayer> layers) {
        return switch (scope) {
            case ALL -> true;
            case POLICY -> layers.stream().anyMatch(layer -> layer.source().equals(SettingSource.policy(name)));
            case BUDGET -> name.equals(EffectiveSettings.defaults().with(layers).get(Setting.BUDGET));
            case NAME -> name.equals(methodName);
        };
    }
}
