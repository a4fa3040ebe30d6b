/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.spring.Flag;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.expression.RetryExpressions;
import dev.retryon.spring.settings.ConfiguredLayers;
import dev.retryon.spring.settings.RetryFaults;
import dev.retryon.spring.settings.RetryLayer;
import dev.retryon.spring.settings.RetrySettings;
import dev.retryon.spring.settings.SettingKey;
import dev.retryon.spring.settings.Suggestion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.util.PlaceholderResolutionException;

/** Turns annotations into layers. The one place that knows how an annotation says nothing. */
final class AnnotationReader {

    /** What is in braces is evaluated once, at start-up, where the variables of a gate are null. */
    private static final Pattern GATE_IN_BRACES = Pattern.compile("\\s*#\\{.*#\\w.*}\\s*");

    private final ConfiguredLayers configured;

    private final RetryExpressions expressions;

    private final RetryFaults faults;

    /** What was said by annotations: many say the same, and reading one takes a while. */
    private final Map<Said, RetrySettings> read = new ConcurrentHashMap<>();

    AnnotationReader(ConfiguredLayers configured, RetryExpressions expressions, RetryFaults faults) {
        this.configured = configured;
        this.expressions = expressions;
        this.faults = faults;
    }

    /** The layers of some annotations, in their order; a named policy is a layer below the annotation that names it. */
    List<RetryLayer> layers(List<Declaration> declarations) {
        List<RetryLayer> layers = new ArrayList<>();
        for (Declaration declaration : declarations) {
            RetryOn annotation = declaration.annotation();
            String where = declaration.where();
            String policy = resolve(where, "policy", annotation.policy());
            if (!policy.isEmpty()) {
                RetryLayer named = policy(where, policy);
                if (named != null) {
                    layers.add(named);
                }
            }
            layers.add(new RetryLayer(where, settings(where, declaration)));
        }
        return layers;
    }

    /** A named policy; {@code null}, and a fault, if there is none of that name. */
    @Nullable RetryLayer policy(String where, String name) {
        RetryLayer layer = configured.policies().get(name);
        if (layer == null) {
            faults.add(
                    where,
                    "policy is '" + name + "', but "
                            + (configured.policies().isEmpty()
                                    ? "no policies are configured under retryon.policies"
                                    : "must be one of those under retryon.policies: "
                                            + new TreeSet<>(
                                                    configured.policies().keySet())
                                            + Suggestion.of(
                                                    name, configured.policies().keySet())));
        }
        return layer;
    }

    /** The name that the strongest annotation with one gives; empty if none does. */
    String name(List<Declaration> declarations) {
        for (int i = declarations.size() - 1; i >= 0; i--) {
            String given = declarations.get(i).annotation().name();
            String name = given.isEmpty() ? given : resolve(declarations.get(i).where(), "name", given);
            if (!name.isEmpty()) {
                return name;
            }
        }
        return "";
    }

    private RetrySettings settings(String where, Declaration declaration) {
        Said said = new Said(declaration.annotation());
        RetrySettings known = read.get(said);
        if (known != null) {
            return known;
        }
        Reading reading = new Reading(where, declaration);
        RetrySettings settings = reading.settings();
        if (reading.isLasting) {
            read.put(said, settings);
        }
        return settings;
    }

    private String resolve(String where, String attribute, String text) {
        try {
            return expressions.resolve(text).trim();
        } catch (RuntimeException ex) {
            faults.add(where, attribute + " is '" + text + "', but " + reason(ex));
            return "";
        }
    }

    private static String reason(RuntimeException ex) {
        if (ex instanceof PlaceholderResolutionException unresolved) {
            String property = unresolved.getPlaceholder();
            return "no property is called '" + property + "': set it, or give a default, ${" + property + ":…}";
        }
        return "can't be resolved: "
                + NestedExceptionUtils.getMostSpecificCause(ex).getMessage();
    }

    /** The key of a map that asks the annotation it keeps, which alone then has to look up its methods to compare. */
    private record Said(RetryOn annotation) {

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Said kept && kept.annotation.equals(annotation);
        }

        @Override
        public int hashCode() {
            return annotation.hashCode();
        }
    }

    /** Reads one annotation. */
    private final class Reading implements Consumer<String> {

        private final String where;

        private final Declaration declaration;

        private final RetrySettings.Builder said = RetrySettings.builder();

        /** Whether an annotation that says the same means the same: nothing in it is wrong, or depends on a property. */
        private boolean isLasting = true;

        Reading(String where, Declaration declaration) {
            this.where = where;
            this.declaration = declaration;
        }

        RetrySettings settings() {
            RetryOn annotation = declaration.annotation();
            said.accept(SettingKey.EXCEPTIONS, declaration.types(), this);
            said.accept(SettingKey.EXCLUDES, Arrays.asList(annotation.excludes()), this);
            List<String> patterns = new ArrayList<>();
            for (String pattern : annotation.nonRetryableErrors()) {
                patterns.add(resolved(SettingKey.NON_RETRYABLE_ERRORS, pattern));
            }
            said.accept(SettingKey.NON_RETRYABLE_ERRORS, patterns, this);
            // The texts come second and replace the numbers, unless a placeholder leaves them empty.
            if (annotation.maxAttempts() != RetryOn.INHERIT) {
                said.accept(SettingKey.MAX_ATTEMPTS, annotation.maxAttempts(), this);
            }
            read(SettingKey.MAX_ATTEMPTS, annotation.maxAttemptsString());
            if (!Double.isNaN(annotation.multiplier())) {
                said.accept(SettingKey.MULTIPLIER, annotation.multiplier(), this);
            }
            read(SettingKey.MULTIPLIER, annotation.multiplierString());
            if (annotation.retryable() != Flag.INHERIT) {
                said.retryable(annotation.retryable() == Flag.TRUE);
            }
            read(SettingKey.BACKOFF, annotation.backoff());
            read(SettingKey.DELAY, annotation.delay());
            read(SettingKey.MAX_DELAY, annotation.maxDelay());
            read(SettingKey.JITTER, annotation.jitter());
            read(SettingKey.TIMEOUT, annotation.timeout());
            read(SettingKey.ATTEMPT_TIMEOUT, annotation.attemptTimeout());
            read(SettingKey.BUDGET, annotation.budget());
            read(SettingKey.ONLY_IF, annotation.onlyIf());
            read(SettingKey.UNLESS, annotation.unless());
            read(SettingKey.RETRY_IF, annotation.retryIf());
            read(SettingKey.RECOVER, annotation.recover());
            return said.build();
        }

        private void read(SettingKey key, String text) {
            if (GATE_IN_BRACES.matcher(text).matches()
                    && (key == SettingKey.ONLY_IF || key == SettingKey.UNLESS || key == SettingKey.RETRY_IF)) {
                String trimmed = text.trim();
                accept(key.attribute() + " is '" + text + "', but a gate is written without #{…}: '"
                        + trimmed.substring(2, trimmed.length() - 1).trim() + "'");
            } else if (!text.isEmpty()) {
                said.read(key, resolved(key, text), this);
            }
        }

        private String resolved(SettingKey key, String text) {
            isLasting &= !expressions.isResolvable(text);
            return resolve(where, key.attribute(), text);
        }

        @Override
        public void accept(String fault) {
            isLasting = false;
            faults.add(where, fault);
        }
    }
}
