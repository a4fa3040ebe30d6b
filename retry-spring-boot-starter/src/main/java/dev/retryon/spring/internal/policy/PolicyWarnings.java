/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.policy;

import dev.retryon.AttemptTimeoutException;
import dev.retryon.ExhaustionAction;
import dev.retryon.RetryHint;
import dev.retryon.spring.RetrySettings;
import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.report.RetryWarning;
import dev.retryon.spring.internal.settings.EffectiveSettings;
import dev.retryon.spring.internal.settings.RetryLayer;
import dev.retryon.spring.internal.settings.Setting;
import dev.retryon.spring.internal.settings.SettingSource;
import dev.retryon.spring.internal.settings.StoringMode;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Warns of settings that are allowed but may not do what their author expects. Thread-safe. */
final class PolicyWarnings {

    /** Errors that often wrap the error for which a call is retried. */
    private static final Set<Class<?>> WRAPPERS = Set.of(
            RuntimeException.class,
            UncheckedIOException.class,
            ExecutionException.class,
            CompletionException.class,
            UndeclaredThrowableException.class);

    private final RetryFaults faults;

    private final @Nullable Integer maxAttemptsLimit;

    /** Whether a number of attempts above the limit was logged. */
    private final AtomicBoolean lowered = new AtomicBoolean();

    /** The methods whose calls have set what is not stored with them. */
    private final Set<RetriedMethod> storedInPart = ConcurrentHashMap.newKeySet();

    PolicyWarnings(RetryFaults faults, @Nullable Integer maxAttemptsLimit) {
        this.faults = faults;
        this.maxAttemptsLimit = maxAttemptsLimit;
    }

    /**
     * Something that may not be what its author expects.
     *
     * @param code what kind of thing it is
     * @param sentence names the place and the remedy
     */
    record Warning(RetryWarning code, String sentence) {}

    /** Logs warnings about the settings of a method; returns whether there are any. */
    boolean warn(Class<?> beanClass, Method method, EffectiveSettings settings, List<RetryLayer> layers) {
        boolean isExpected = settings.get(Setting.EXCEPTIONS) != null
                || settings.get(Setting.ERRORS) != null
                || settings.get(Setting.DURABLE) == StoringMode.OUTBOX
                || settings.require(Setting.ON_EXHAUSTION) == ExhaustionAction.DEAD_LETTER
                || ThrownSignals.mayBeThrownBy(beanClass);
        return warn(where(beanClass, method), isExpected ? null : "say @RetryOn(IOException.class)", settings, layers);
    }

    /** Logs what is odd about the settings of a retry that code gets from the registry by the name of a policy. */
    void warnOfNamed(String policy, EffectiveSettings settings, List<RetryLayer> layers) {
        warn("Retry '" + policy + "'", "set retryon.policies." + policy + ".exceptions", settings, layers);
    }

    /** Logs what is odd about the settings of HTTP clients, which need no list of exceptions. */
    void warnOfClients(EffectiveSettings settings, List<RetryLayer> layers) {
        warn("HTTP clients", null, settings, layers);
    }

    /** The remedy is that for a list of exceptions which no layer has; {@code null} if none is needed. */
    private boolean warn(String where, @Nullable String remedy, EffectiveSettings settings, List<RetryLayer> layers) {
        List<Warning> warnings = new ArrayList<>();
        int maxAttempts = settings.require(Setting.MAX_ATTEMPTS);
        if (maxAttempts == 0) {
            warnings.add(new Warning(
                    RetryWarning.NO_EFFECT,
                    where + ": maxAttempts is 0 (" + settings.source(Setting.MAX_ATTEMPTS)
                            + "), which counts as 1 (no retry); set it to 1"));
        }
        if (maxAttempts > 1 && !settings.require(Setting.RETRYABLE)) {
            notRetryable(where, settings, warnings);
        }
        // Users who switch retries off need not remove the other settings.
        if (mostAttempts(settings) > 1 && settings.require(Setting.RETRYABLE)) {
            retried(where, remedy, settings, layers, warnings);
        }
        warnings.forEach(warning -> faults.warn(warning.code(), warning.sentence()));
        return !warnings.isEmpty();
    }

    /** The settings, or those of the rule, with the most attempts. */
    private static EffectiveSettings mostPersistent(EffectiveSettings settings) {
        EffectiveSettings most = settings;
        for (EffectiveSettings rule : settings.rules().values()) {
            Integer own = rule.get(Setting.MAX_ATTEMPTS);
            most = own == null || own <= most.require(Setting.MAX_ATTEMPTS) ? most : rule;
        }
        return most;
    }

    private static int mostAttempts(EffectiveSettings settings) {
        return mostPersistent(settings).require(Setting.MAX_ATTEMPTS);
    }

    private void retried(
            String where,
            @Nullable String remedy,
            EffectiveSettings settings,
            List<RetryLayer> layers,
            List<Warning> warnings) {
        // Beside a fault the list may be missing only because of that.
        if (remedy != null
                && !faults.hasAny()
                && settings.get(Setting.EXCEPTIONS) == null
                && settings.get(Setting.ERRORS) == null
                && settings.get(Setting.RETRY_IF) == null
                && isNone(settings.get(Setting.ATTEMPT_TIMEOUT))) {
            warnings.add(new Warning(
                    RetryWarning.NO_EXCEPTIONS,
                    where + " is never retried, because no layer lists an exception: " + remedy
                            + ", or set retryon.defaults.exceptions"));
        }
        if (isAboveLimit(settings) && !lowered.getAndSet(true)) {
            warnings.add(new Warning(RetryWarning.LOWERED, aboveLimit(where, settings)));
        }
        ErrorWarnings.add(where, settings, layers, warnings);
        limitsBelowOthers(where, settings, warnings);
        multiplierWithoutEffect(where, settings, layers, warnings);
        recoverOnWithoutEffect(where, settings, warnings);
    }

    private static void notRetryable(String where, EffectiveSettings settings, List<Warning> warnings) {
        SettingSource source = settings.sources(Setting.RETRYABLE).get(0);
        // An operator who switches retries off while the application runs knows that.
        if (!settings.isSet(Setting.MAX_ATTEMPTS) || source.isOperator()) {
            return;
        }
        // A property may be for many methods: one line in all.
        warnings.add(new Warning(
                RetryWarning.NO_EFFECT,
                source.isProperty()
                        ? source.describe() + ": retryable is false, so no method with these settings is retried, and"
                                + " maxAttempts has no effect; remove one of the two"
                        : where + ": retryable is false (" + source.describe() + "), so maxAttempts "
                                + settings.get(Setting.MAX_ATTEMPTS) + " (" + settings.source(Setting.MAX_ATTEMPTS)
                                + ") has no effect; set maxAttempts = 1"));
    }

    /** A method as warnings and faults name it. */
    static String where(Class<?> beanClass, Method method) {
        return beanClass.getName() + "." + method.getName();
    }

    private static void limitsBelowOthers(String where, EffectiveSettings settings, List<Warning> warnings) {
        Duration timeout = settings.get(Setting.TIMEOUT);
        if (timeout == null || timeout.isZero() || settings.require(Setting.MAX_ATTEMPTS) <= 1) {
            return;
        }
        if (hasErrorsWithoutRule(settings)
                && !settings.require(Setting.BACKOFF).equals("none")
                && settings.require(Setting.DELAY).compareTo(timeout) >= 0) {
            warnings.add(new Warning(
                    RetryWarning.TIMEOUT,
                    where + ": delay is " + printed(Setting.DELAY, settings) + ", which is not below timeout, "
                            + printed(Setting.TIMEOUT, settings)
                            + ", so a call ends instead of waiting that long; set a delay below timeout"));
        }
        Duration attemptTimeout = settings.get(Setting.ATTEMPT_TIMEOUT);
        if (attemptTimeout != null && attemptTimeout.compareTo(timeout) >= 0) {
            warnings.add(new Warning(
                    RetryWarning.TIMEOUT,
                    where + ": attemptTimeout is " + printed(Setting.ATTEMPT_TIMEOUT, settings)
                            + ", which is not below timeout, " + printed(Setting.TIMEOUT, settings)
                            + ", so an attempt that takes this long is not retried; set an attemptTimeout below"
                            + " timeout"));
        }
    }

    /** Whether the settings of the policy itself can apply, and not only those of its rules. */
    private static boolean hasErrorsWithoutRule(EffectiveSettings settings) {
        return settings.rules().isEmpty()
                || settings.get(Setting.EXCEPTIONS) != null
                || settings.get(Setting.RETRY_IF) != null
                || !isNone(settings.get(Setting.ATTEMPT_TIMEOUT));
    }

    /** A limit of zero removes the limit of a weaker layer. */
    private static boolean isNone(@Nullable Duration limit) {
        return limit == null || limit.isZero();
    }

    private static String printed(Setting<?> setting, EffectiveSettings settings) {
        EffectiveSettings.Value<?> value = Objects.requireNonNull(settings.value(setting));
        return "'" + value.print() + "' (" + value.source() + ")";
    }

    /** A multiplier that a weaker layer sets may be meant for another backoff. */
    private static void multiplierWithoutEffect(
            String where, EffectiveSettings settings, List<RetryLayer> layers, List<Warning> warnings) {
        if (!hasMultiplier(settings)
                && settings.rules().values().stream().noneMatch(PolicyWarnings::hasMultiplier)
                && settings.isSet(Setting.MULTIPLIER)
                && rank(Setting.MULTIPLIER, settings, layers) >= rank(Setting.BACKOFF, settings, layers)) {
            warnings.add(new Warning(
                    RetryWarning.NO_EFFECT,
                    where + ": multiplier is " + printed(Setting.MULTIPLIER, settings)
                            + ", which has no effect because backoff is " + printed(Setting.BACKOFF, settings)
                            + "; set backoff to exponential, or remove the multiplier"));
        }
    }

    private static boolean hasMultiplier(EffectiveSettings settings) {
        String backoff = settings.get(Setting.BACKOFF);
        return "exponential".equals(backoff) || "polynomial".equals(backoff);
    }

    private static void recoverOnWithoutEffect(String where, EffectiveSettings settings, List<Warning> warnings) {
        // Settings of composed annotations, interfaces, abstract methods and properties are for other methods too.
        boolean isOwn = settings.sources(Setting.RECOVER_ON).stream()
                .anyMatch(source -> source.kind() == SettingSource.Kind.METHOD_ANNOTATION);
        if (isOwn && settings.get(Setting.RECOVER) == null) {
            warnings.add(new Warning(
                    RetryWarning.NO_EFFECT,
                    where + ": recoverOn is '"
                            + settings.require(Setting.RECOVER_ON).stream()
                                    .map(Class::getName)
                                    .collect(Collectors.joining(", "))
                            + "' (" + settings.source(Setting.RECOVER_ON)
                            + "), which has no effect because there is no recovery; set recover, or remove recoverOn"));
        }
    }

    private static int rank(Setting<?> setting, EffectiveSettings settings, List<RetryLayer> layers) {
        List<SettingSource> ofLayers = layers.stream().map(RetryLayer::source).toList();
        return ofLayers.lastIndexOf(settings.sources(setting).get(0));
    }

    /**
     * Warns that the methods of a name fit none of the errors that a method is retried for.
     *
     * @return a sentence, or {@code null} if one may fit
     */
    static @Nullable Warning unfit(MethodRole role, String where, EffectiveSettings settings, RecoveryMethods methods) {
        boolean recovers = role == MethodRole.RECOVERY;
        String named = where + ": " + role.setting() + " is " + printed(role.setting(), settings);
        StoringMode durable = settings.get(Setting.DURABLE);
        if (!recovers && durable != null && durable != StoringMode.OFF && methods.needError()) {
            return new Warning(
                    RetryWarning.NO_EFFECT,
                    named + ", which has no effect because a stored call does not keep the exception for its error"
                            + " parameter; remove this parameter");
        }
        List<Class<?>> accepted = methods.errorTypes();
        Set<Class<?>> expected = ErrorWarnings.listed(settings::get);
        Set<Class<? extends Throwable>> recovered = settings.get(Setting.RECOVER_ON);
        if (recovers && recovered != null) {
            expected.addAll(recovered);
        }
        boolean hasCodes = settings.rules().keySet().stream().anyMatch(error -> error.type() == null);
        if (expected.isEmpty() || hasCodes) {
            return null;
        }
        Set<String> names = new TreeSet<>();
        expected.forEach(type -> names.add(type.getName()));
        if (!isNone(settings.get(Setting.ATTEMPT_TIMEOUT))) {
            expected.add(AttemptTimeoutException.class);
        }
        for (Class<?> type : accepted) {
            if (WRAPPERS.contains(type)
                    || RetryHint.class.isAssignableFrom(type)
                    || expected.stream().anyMatch(next -> next.isAssignableFrom(type) || type.isAssignableFrom(next))) {
                return null;
            }
        }
        return new Warning(
                RetryWarning.RECOVERY,
                named + ", which takes "
                        + String.join(
                                " or ", accepted.stream().map(Class::getName).toList())
                        + ", but the method is retried for " + names
                        + (recovers
                                ? ", so the recovery handles only errors that wrap one of these"
                                : ", so it runs only after errors that wrap one of these")
                        + "; declare one of these types as"
                        + " its parameter");
    }

    /** Logs that a call asks for more attempts than the limit allows. */
    void warnOfCall(RetriedMethod method, EffectiveSettings settings) {
        if (isAboveLimit(settings) && !lowered.getAndSet(true)) {
            faults.warn(RetryWarning.LOWERED, aboveLimit(where(method.beanClass(), method.method()), settings));
        }
    }

    /** Logs once for a durable method what calls set that is not stored with them. */
    void warnOfDurableCall(RetriedMethod method, RetrySettings override) {
        Set<String> lost = new TreeSet<>();
        override.values().keySet().stream()
                .filter(setting -> !setting.isPlain())
                .forEach(setting -> lost.add(setting.attribute()));
        if (!lost.isEmpty() && storedInPart.add(method)) {
            faults.warn(
                    RetryWarning.STORED_IN_PART,
                    where(method.beanClass(), method.method())
                            + ": only a part of the settings of Retries.with is stored with a call. For the rest,"
                            + " workers use the settings of the method; set them on the method or in a"
                            + " policy (not stored: " + String.join(", ", lost) + ")");
        }
    }

    private boolean isAboveLimit(EffectiveSettings settings) {
        return maxAttemptsLimit != null && mostAttempts(settings) > maxAttemptsLimit;
    }

    private String aboveLimit(String where, EffectiveSettings settings) {
        return where + ": maxAttempts " + mostAttempts(settings) + " ("
                + mostPersistent(settings).source(Setting.MAX_ATTEMPTS)
                + ") is above retryon.limits.max-attempts and is lowered to " + maxAttemptsLimit
                + "; lower it, or raise the limit (logged once for all)";
    }
}
