/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.policy;

import dev.retryon.DoNotRetry;
import dev.retryon.spring.RetrySettings;
import dev.retryon.spring.internal.report.RetryWarning;
import dev.retryon.spring.internal.settings.EffectiveSettings;
import dev.retryon.spring.internal.settings.ErrorKey;
import dev.retryon.spring.internal.settings.RetryLayer;
import dev.retryon.spring.internal.settings.Setting;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Warns of errors that are listed, excluded or have a rule, but can never match as their author expects. */
final class ErrorWarnings {

    private ErrorWarnings() {}

    /** Adds what is odd about the errors of some settings. */
    static void add(
            String where, EffectiveSettings settings, List<RetryLayer> layers, List<PolicyWarnings.Warning> warnings) {
        listedTwice(where, settings, layers, warnings);
        neverRetried(where, settings, warnings);
        codesThatMatchNothing(where, settings, warnings);
    }

    /** A type that one layer lists, and which the same or a weaker one excludes: excludes are always stronger. */
    private static void listedTwice(
            String where, EffectiveSettings settings, List<RetryLayer> layers, List<PolicyWarnings.Warning> warnings) {
        Set<Class<?>> excluded = new LinkedHashSet<>();
        Map<String, String> both = new TreeMap<>();
        for (RetryLayer layer : layers) {
            Set<Class<? extends Throwable>> excludes = layer.settings().get(Setting.EXCLUDES);
            if (excludes != null) {
                excluded.addAll(excludes);
            }
            for (Class<?> type : listed(layer.settings()::get)) {
                excluded.stream()
                        .filter(next -> next.isAssignableFrom(type))
                        .findFirst()
                        .ifPresent(next ->
                                both.put(type.getName(), next == type ? "" : next.getName() + ", its supertype, is "));
            }
        }
        both.forEach((type, other) -> warnings.add(new PolicyWarnings.Warning(
                RetryWarning.NEVER_RETRIED,
                where + ": " + type + " is in " + listing(type, settings) + " and "
                        + other + "in excludes ("
                        + settings.source(Setting.EXCLUDES) + "), so it is not retried; remove it from one of them")));
    }

    /** The types that are retried because they are listed or have a rule. */
    static Set<Class<?>> listed(Values settings) {
        Set<Class<?>> types = new LinkedHashSet<>();
        Set<Class<? extends Throwable>> exceptions = settings.get(Setting.EXCEPTIONS);
        Map<ErrorKey, RetrySettings> rules = settings.get(Setting.ERRORS);
        if (exceptions != null) {
            types.addAll(exceptions);
        }
        if (rules != null) {
            rules.keySet().stream().map(ErrorKey::type).filter(Objects::nonNull).forEach(types::add);
        }
        return types;
    }

    /** Where a type is listed, with the sources. */
    private static String listing(String type, EffectiveSettings settings) {
        Set<Class<? extends Throwable>> exceptions = settings.get(Setting.EXCEPTIONS);
        boolean isListed =
                exceptions != null && exceptions.stream().map(Class::getName).anyMatch(type::equals);
        Setting<?> setting = isListed ? Setting.EXCEPTIONS : Setting.ERRORS;
        return setting + " (" + settings.source(setting) + ")";
    }

    /** Gives the values of settings. */
    @FunctionalInterface
    interface Values {

        <T> @Nullable T get(Setting<T> setting);
    }

    /** Types that no policy retries. */
    private static void neverRetried(String where, EffectiveSettings settings, List<PolicyWarnings.Warning> warnings) {
        for (Class<?> type : listed(settings::get)) {
            boolean isFinalItself = InterruptedException.class.isAssignableFrom(type)
                    || VirtualMachineError.class.isAssignableFrom(type);
            if (isFinalItself || type.isAnnotationPresent(DoNotRetry.class)) {
                warnings.add(new PolicyWarnings.Warning(
                        RetryWarning.NEVER_RETRIED,
                        where + ": " + type.getName() + " is in " + listing(type.getName(), settings)
                                + (isFinalItself
                                        ? ", which is retried only as the cause of another error; remove it, unless"
                                                + " you mean such errors"
                                        : ", which no policy retries; remove it")));
            }
        }
    }

    private static void codesThatMatchNothing(
            String where, EffectiveSettings settings, List<PolicyWarnings.Warning> warnings) {
        Set<String> patterns = settings.get(Setting.NON_RETRYABLE_ERRORS);
        if (patterns != null) {
            patterns.forEach(pattern ->
                    codeThatMatchesNothing(where, settings, Setting.NON_RETRYABLE_ERRORS, pattern, warnings));
        }
        settings.rules().keySet().stream()
                .filter(error -> error.type() == null)
                .forEach(error -> codeThatMatchesNothing(where, settings, Setting.ERRORS, error.toString(), warnings));
    }

    private static void codeThatMatchesNothing(
            String where,
            EffectiveSettings settings,
            Setting<?> setting,
            String pattern,
            List<PolicyWarnings.Warning> warnings) {
        String problem = ErrorKey.problemOfCode(pattern);
        if (problem != null) {
            warnings.add(new PolicyWarnings.Warning(
                    RetryWarning.ERROR_CODE,
                    where + ": " + setting + " has '" + pattern + "' (" + settings.source(setting) + "), " + problem));
        }
    }
}
