/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.expression.RetryExpressions;
import dev.retryon.spring.method.PolicyWarnings.Warning;
import dev.retryon.spring.settings.EffectiveSettings;
import dev.retryon.spring.settings.RetryLayer;
import dev.retryon.spring.settings.RetryWarning;
import dev.retryon.spring.settings.Setting;
import dev.retryon.spring.settings.SettingSource;
import java.lang.reflect.AnnotatedElement;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotations;

/** Warns of gates that give the same answer for every call. Thread-safe. */
final class GateWarnings {

    private final RetryExpressions expressions;

    GateWarnings(RetryExpressions expressions) {
        this.expressions = expressions;
    }

    /** Adds what is odd about the gates of a method. */
    void add(String where, EffectiveSettings settings, List<RetryLayer> layers, List<Warning> warnings) {
        gate(where, Setting.ONLY_IF, true, settings, layers, warnings);
        gate(where, Setting.UNLESS, false, settings, layers, warnings);
        Boolean retried = constant(Setting.RETRY_IF, settings);
        if (retried != null && !replaces(Setting.RETRY_IF, layers)) {
            warnings.add(new Warning(
                    RetryWarning.CONSTANT_GATE,
                    is(where, Setting.RETRY_IF, settings)
                            + (retried
                                    ? ", so every returned value is retried until no attempt is left"
                                    : ", so no returned value is retried")
                            + "; let it depend on #result, or remove it"));
        }
    }

    /**
     * Adds what is odd about a gate over errors.
     *
     * @param open the answer that lets a retry pass
     */
    private void gate(
            String where,
            Setting<String> setting,
            boolean open,
            EffectiveSettings settings,
            List<RetryLayer> layers,
            List<Warning> warnings) {
        Boolean answer = constant(setting, settings);
        if (answer == null) {
            return;
        }
        if (answer != open) {
            warnings.add(new Warning(
                    RetryWarning.CONSTANT_GATE,
                    is(where, setting, settings)
                            + ", so no call is ever retried; let it depend on the call, or set retryable to false"));
        } else if (!replaces(setting, layers)) {
            warnings.add(new Warning(
                    RetryWarning.CONSTANT_GATE,
                    is(where, setting, settings) + ", which has no effect; let it depend on the call, or remove it"));
        }
    }

    private static String is(String where, Setting<String> setting, EffectiveSettings settings) {
        return where + ": " + setting.attribute() + " is '" + settings.get(setting) + "' (" + settings.source(setting)
                + ")";
    }

    /** Whether a gate takes the place of one that a weaker layer sets. */
    private static boolean replaces(Setting<String> setting, List<RetryLayer> layers) {
        return layers.stream()
                        .map(layer -> layer.settings().get(setting))
                        .filter(Objects::nonNull)
                        .count()
                > 1;
    }

    /**
     * What a gate answers for every call, if its author wrote the constant. An operator, or who writes a placeholder or a bare
     * {@code true} or {@code false} in a property or as the default of a composed annotation, has a switch in mind.
     */
    private @Nullable Boolean constant(Setting<String> setting, EffectiveSettings settings) {
        String text = settings.get(setting);
        if (text == null || text.isEmpty()) {
            return null;
        }
        SettingSource source = settings.sources(setting).get(0);
        if (source instanceof SettingSource.Operator) {
            return null;
        }
        boolean isSwitch = (source instanceof SettingSource.Annotation annotation && annotation.type() == RetryOn.class)
                ? isPlaceholder(setting, annotation.element())
                : (text.strip().equals("true") || text.strip().equals("false"));
        return isSwitch ? null : expressions.constantAnswer(text);
    }

    private boolean isPlaceholder(Setting<String> setting, AnnotatedElement element) {
        return MergedAnnotations.from(element).stream(RetryOn.class)
                .anyMatch(written -> expressions.isResolvable(written.getString(setting.attribute())));
    }
}
