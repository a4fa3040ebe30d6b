// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.DoNotRetry;
import dev.retryon.spring.internal.report.RetryWarning;
import dev.retryon.spring.internal.settings.EffectiveSettings;
import dev.retryon.spring.internal.settings.ErrorKey;
import dev.retryon.spring.internal.settings.RetryLayer;
import dev.retryon.spring.internal.settings.RetrySettings;
import dev.retryon.spring.internal.settings.Setting;
import dev.retryon.spring.internal.settings.SettingSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds settings of one retry that are allowed but may not do what their author expects. */
final class SettingWarnings {

    private final String where;

    private final EffectiveSettings settings;

    private final List<RetryLayer> layers;

    private final List<Warning> warnings = new ArrayList<>();

    SettingWarnings(String where, EffectiveSettings settings, List<RetryLayer> layers) {
        this.where = where;
        this.settings = settings;
        this.layers = layers;
    }

    /** @param sentence names the place and the remedy */
    record Warning(RetryWarning code, String sentence) {}

    List<Warning> list() {
        return warnings;
    }

    void warn(RetryWarning code, String sentence) {
        warnings.add(new Warning(code, sentence));
    }

    /** Checks settings that are odd even if they allow no retry. */
    void checkLimits() {
        int maxAttempts = settings.require(Setting.MAX_ATTEMPTS);
        if (maxAttempts == 0) {
            warn(
                    RetryWarning.NO_EFFECT,
                    where + ": maxAttempts is 0 (" + settings.source(Setting.MAX_ATTEMPTS)
                            + "), which counts as 1 (no retry); set it to 1");
        }
        if (maxAttempts > 1 && !settings.require(Setting.RETRYABLE)) {
            notRetryable();
        }
    }

    /** Checks settings that allow retries. */
    void checkRetried() {
        listedTwice();
        neverRetried();
        codesThatMatchNothing();
        limitsBelowOthers();
        multiplierWithoutEffect();
        recoverOnWithoutEffect();
        withoutEffect(List.of(Setting.LANE, Setting.UNIQUE_KEY, Setting.INITIAL_DELAY), Setting.DURABLE);
        withoutEffect(List.of(Setting.BUDGET_KEY), Setting.BUDGET);
    }

    private void notRetryable() {
        SettingSource source = settings.sources(Setting.RETRYABLE).get(0);
        // An operator who switches retries off while the application runs knows that.
        if (!settings.isSet(Setting.MAX_ATTEMPTS) || source.isOperator()) {
            return;
        }
        // A property may be for many methods: one line in all.
        warn(
                RetryWarning.NO_EFFECT,
                source.isProperty()
                        ? source.describe() + ": retryable is false, so no method with these settings is retried, and"
                                + " maxAttempts has no effect; remove one of the two"
                        : where + ": retryable is false (" + source.describe() + "), so maxAttempts "
                                + settings.get(Setting.MAX_ATTEMPTS) + " (" + settings.source(Setting.MAX_ATTEMPTS)
                                + ") has no effect; set maxAttempts = 1");
    }

    /** A type that one layer lists, and which the same or a weaker one excludes: excludes are always stronger. */
    private void listedTwice() {
        Set<Class<?>> excluded = new LinkedHashSet<>();
        Map<String, String> both = new TreeMap<>();
        for (RetryLayer layer : layers) {
            RetrySettings own = layer.settings();
            excluded.addAll(orEmpty(own.get(Setting.EXCLUDES)));
            for (Class<?> type : listed(own.get(Setting.EXCEPTIONS), own.get(Setting.ERRORS))) {
                excluded.stream()
                        .filter(next -> next.isAssignableFrom(type))
                        .findFirst()
                        .ifPresent(next ->
                                both.put(type.getName(), next == type ? "" : next.getName() + ", its supertype, is "));
            }
        }
        both.forEach((type, other) -> warn(
                RetryWarning.NEVER_RETRIED,
                where + ": " + type + " is in " + listing(type) + " and " + other + "in excludes ("
                        + settings.source(Setting.EXCLUDES) + "), so it is not retried; remove it from one of them"));
    }

    /** Returns the types that are listed or have a rule, as a new set. */
    static Set<Class<? extends Throwable>> listed(EffectiveSettings settings) {
        return listed(settings.get(Setting.EXCEPTIONS), settings.get(Setting.ERRORS));
    }

    private static Set<Class<? extends Throwable>> listed(
            @Nullable Set<Class<? extends Throwable>> exceptions, @Nullable Map<ErrorKey, RetrySettings> rules) {
        Set<Class<? extends Throwable>> types = new LinkedHashSet<>(orEmpty(exceptions));
        if (rules != null) {
            rules.keySet().stream().map(ErrorKey::type).filter(Objects::nonNull).forEach(types::add);
        }
        return types;
    }

    private static <T> Set<T> orEmpty(@Nullable Set<T> values) {
        return values == null ? Set.of() : values;
    }

    /** Where a type is listed, with the sources. */
    private String listing(String type) {
        boolean isListed = orEmpty(settings.get(Setting.EXCEPTIONS)).stream()
                .map(Class::getName)
                .anyMatch(type::equals);
        Setting<?> setting = isListed ? Setting.EXCEPTIONS : Setting.ERRORS;
        return setting + " (" + settings.source(setting) + ")";
    }

    private void neverRetried() {
        for (Class<?> type : listed(settings)) {
            boolean isFinalItself = InterruptedException.class.isAssignableFrom(type)
                    || VirtualMachineError.class.isAssignableFrom(type);
            if (isFinalItself || type.isAnnotationPresent(DoNotRetry.class)) {
                warn(
                        RetryWarning.NEVER_RETRIED,
                        where + ": " + type.getName() + " is in " + listing(type.getName())
                                + (isFinalItself
                                        ? ", which is retried only as the cause of another error; remove it, unless"
                                                + " you mean such errors"
                                        : ", which no policy retries; remove it"));
            }
        }
    }

    private void codesThatMatchNothing() {
        orEmpty(settings.get(Setting.NON_RETRYABLE_ERRORS))
                .forEach(pattern -> checkCode(Setting.NON_RETRYABLE_ERRORS, pattern));
        settings.rules().keySet().stream()
                .filter(error -> error.type() == null)
                .forEach(error -> checkCode(Setting.ERRORS, error.toString()));
    }

    private void checkCode(Setting<?> setting, String pattern) {
        String problem = ErrorKey.problemOfCode(pattern);
        if (problem != null) {
            warn(
                    RetryWarning.ERROR_CODE,
                    where + ": " + setting + " has '" + pattern + "' (" + settings.source(setting) + "), " + problem);
        }
    }

    private void limitsBelowOthers() {
        Duration timeout = settings.get(Setting.TIMEOUT);
        if (timeout == null || timeout.isZero() || settings.require(Setting.MAX_ATTEMPTS) <= 1) {
            return;
        }
        if (hasErrorsWithoutRule()
                && !settings.require(Setting.BACKOFF).equals("none")
                && settings.require(Setting.DELAY).compareTo(timeout) >= 0) {
            warn(
                    RetryWarning.TIMEOUT,
                    where + ": delay is " + printed(Setting.DELAY, settings) + ", which is not below timeout, "
                            + printed(Setting.TIMEOUT, settings)
                            + ", so a call ends instead of waiting that long; set a delay below timeout");
        }
        Duration attemptTimeout = settings.get(Setting.ATTEMPT_TIMEOUT);
        if (attemptTimeout != null && attemptTimeout.compareTo(timeout) >= 0) {
            warn(
                    RetryWarning.TIMEOUT,
                    where + ": attemptTimeout is " + printed(Setting.ATTEMPT_TIMEOUT, settings)
                            + ", which is not below timeout, " + printed(Setting.TIMEOUT, settings)
                            + ", so an attempt that takes this long is not retried; set an attemptTimeout below"
                            + " timeout");
        }
    }

    /** Whether the settings of the policy itself can apply, and not only those of its rules. */
    private boolean hasErrorsWithoutRule() {
        return settings.rules().isEmpty()
                || settings.get(Setting.EXCEPTIONS) != null
                || settings.get(Setting.RETRY_IF) != null
                || hasAttemptTimeout(settings);
    }

    /** An attempt timeout of zero removes that of a weaker layer. */
    static boolean hasAttemptTimeout(EffectiveSettings settings) {
        Duration limit = settings.get(Setting.ATTEMPT_TIMEOUT);
        return limit != null && !limit.isZero();
    }

    static String printed(Setting<?> setting, EffectiveSettings settings) {
        EffectiveSettings.Value<?> value = Objects.requireNonNull(settings.value(setting));
        return "'" + value.print() + "' (" + value.source() + ")";
    }

    /** A multiplier of a weaker layer may be for another backoff. */
    private void multiplierWithoutEffect() {
        if (!hasMultiplier(settings)
                && settings.rules().values().stream().noneMatch(SettingWarnings::hasMultiplier)
                && settings.isSet(Setting.MULTIPLIER)
                && rank(Setting.MULTIPLIER) >= rank(Setting.BACKOFF)) {
            warn(
                    RetryWarning.NO_EFFECT,
                    where + ": multiplier is " + printed(Setting.MULTIPLIER, settings)
                            + ", which has no effect because backoff is " + printed(Setting.BACKOFF, settings)
                            + "; set backoff to exponential, or remove the multiplier");
        }
    }

    private static boolean hasMultiplier(EffectiveSettings settings) {
        String backoff = settings.get(Setting.BACKOFF);
        return "exponential".equals(backoff) || "polynomial".equals(backoff);
    }

    private int rank(Setting<?> setting) {
        List<SettingSource> ofLayers = layers.stream().map(RetryLayer::source).toList();
        return ofLayers.lastIndexOf(settings.sources(setting).get(0));
    }

    private void recoverOnWithoutEffect() {
        boolean isOwn = settings.sources(Setting.RECOVER_ON).stream().anyMatch(SettingWarnings::isForOneMethod);
        if (isOwn && settings.get(Setting.RECOVER) == null) {
            warn(
                    RetryWarning.NO_EFFECT,
                    where + ": recoverOn is '"
                            + settings.require(Setting.RECOVER_ON).stream()
                                    .map(Class::getName)
                                    .collect(Collectors.joining(", "))
                            + "' (" + settings.source(Setting.RECOVER_ON)
                            + "), which has no effect because there is no recovery; set recover, or remove recoverOn");
        }
    }

    /** Settings of the method's own annotation that need another one, which no layer has. */
    private void withoutEffect(List<Setting<?>> dependent, Setting<?> required) {
        // A layer that turns the other setting off does so on purpose.
        if (layers.stream().anyMatch(layer -> layer.settings().get(required) != null)) {
            return;
        }
        List<Setting<?>> own = dependent.stream()
                .filter(setting -> settings.sources(setting).stream().anyMatch(SettingWarnings::isForOneMethod))
                .toList();
        if (!own.isEmpty()) {
            warn(
                    RetryWarning.NO_EFFECT,
                    where + ": "
                            + own.stream()
                                    .map(setting -> setting.attribute() + " is " + printed(setting, settings))
                                    .collect(Collectors.joining(", "))
                            + ", which has no effect without " + required.attribute() + "; set "
                            + required.attribute() + ", or remove "
                            + own.stream().map(Setting::attribute).collect(Collectors.joining(", ")));
        }
    }

    /** Settings of composed annotations, interfaces, abstract methods and properties are for other methods too. */
    private static boolean isForOneMethod(SettingSource source) {
        return source.kind() == SettingSource.Kind.METHOD_ANNOTATION;
    }
}
