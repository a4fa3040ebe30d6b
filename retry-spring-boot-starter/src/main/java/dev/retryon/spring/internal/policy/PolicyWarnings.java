// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.AttemptTimeoutException;
import dev.retryon.ExhaustionAction;
import dev.retryon.RetryHint;
import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.report.RetryWarning;
import dev.retryon.spring.internal.settings.EffectiveSettings;
import dev.retryon.spring.internal.settings.RetryLayer;
import dev.retryon.spring.internal.settings.RetrySettings;
import dev.retryon.spring.internal.settings.Setting;
import dev.retryon.spring.internal.settings.StoringMode;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
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

    /** The durable methods whose calls had settings that are not stored. */
    private final Set<RetriedMethod> storedInPart = ConcurrentHashMap.newKeySet();

    PolicyWarnings(RetryFaults faults, @Nullable Integer maxAttemptsLimit) {
        this.faults = faults;
        this.maxAttemptsLimit = maxAttemptsLimit;
    }

    /** Logs warnings about the settings of a method; returns whether there are any. */
    boolean warn(RetriedMethod method, EffectiveSettings settings, List<RetryLayer> layers) {
        boolean isExpected = settings.get(Setting.EXCEPTIONS) != null
                || settings.get(Setting.ERRORS) != null
                || settings.get(Setting.DURABLE) == StoringMode.OUTBOX
                || settings.require(Setting.ON_EXHAUSTION) == ExhaustionAction.DEAD_LETTER
                || ThrownSignals.mayBeThrownBy(method.beanClass());
        return warn(where(method), isExpected ? null : "say @RetryOn(IOException.class)", settings, layers);
    }

    /** Logs warnings about a retry that code gets from the registry by the name of a policy. */
    void warnOfNamed(String policy, EffectiveSettings settings, List<RetryLayer> layers) {
        warn("Retry '" + policy + "'", "set retryon.policies." + policy + ".exceptions", settings, layers);
    }

    /** Logs warnings about the settings of HTTP clients, which need no list of exceptions. */
    void warnOfClients(EffectiveSettings settings, List<RetryLayer> layers) {
        warn("HTTP clients", null, settings, layers);
    }

    /** @param remedy if no layer lists an exception; {@code null} if none is needed */
    private boolean warn(String where, @Nullable String remedy, EffectiveSettings settings, List<RetryLayer> layers) {
        SettingWarnings warnings = new SettingWarnings(where, settings, layers);
        warnings.checkLimits();
        // Users who switch retries off need not remove the other settings.
        if (mostAttempts(settings) > 1 && settings.require(Setting.RETRYABLE)) {
            // Beside a fault the list may be missing only because of that.
            if (remedy != null
                    && !faults.hasAny()
                    && settings.get(Setting.EXCEPTIONS) == null
                    && settings.get(Setting.ERRORS) == null
                    && settings.get(Setting.RETRY_IF) == null
                    && !SettingWarnings.hasAttemptTimeout(settings)) {
                warnings.warn(
                        RetryWarning.NO_EXCEPTIONS,
                        where + " is never retried, because no layer lists an exception: " + remedy
                                + ", or set retryon.defaults.exceptions");
            }
            if (isAboveLimit(settings) && !lowered.getAndSet(true)) {
                warnings.warn(RetryWarning.LOWERED, aboveLimit(where, settings));
            }
            warnings.checkRetried();
        }
        warnings.list().forEach(warning -> faults.warn(warning.code(), warning.sentence()));
        return !warnings.list().isEmpty();
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

    /** A method as warnings and faults name it. */
    static String where(Class<?> beanClass, Method method) {
        return beanClass.getName() + "." + method.getName();
    }

    private static String where(RetriedMethod method) {
        return where(method.beanClass(), method.method());
    }

    /**
     * Warns of methods of different classes that have the same name in meters and logs by accident, because their classes
     * have the same simple name. A name that is set in an annotation may be shared on purpose.
     *
     * @param methods those that were found before
     */
    void warnOfSharedName(RetriedMethod method, RetriedMethods methods) {
        if (!method.hasDefaultName()) {
            return;
        }
        Class<?> type = method.beanClass();
        methods.named(method.name()).stream()
                .filter(RetriedMethod::hasDefaultName)
                .map(RetriedMethod::beanClass)
                .filter(other -> !other.isAssignableFrom(type) && !type.isAssignableFrom(other))
                .findFirst()
                .ifPresent(other -> faults.warn(
                        RetryWarning.SHARED_NAME,
                        "Retried methods of " + other.getName() + " and " + type.getName() + " share the name '"
                                + method.name()
                                + "' in meters and logs: give one of them a name, @RetryOn(name = \"…\")"));
    }

    /** The warning that methods fit none of the errors that a method is retried for; {@code null} if one may fit. */
    static SettingWarnings.@Nullable Warning unfit(
            MethodRole role, String where, EffectiveSettings settings, RecoveryMethods methods) {
        boolean recovers = role == MethodRole.RECOVERY;
        String named = where + ": " + role.setting() + " is " + SettingWarnings.printed(role.setting(), settings);
        if (!recovers && settings.isDurable() && methods.needError()) {
            return new SettingWarnings.Warning(
                    RetryWarning.NO_EFFECT,
                    named + ", which has no effect because a stored call does not keep the exception for its error"
                            + " parameter; remove this parameter");
        }
        List<Class<?>> accepted = methods.errorTypes();
        Set<Class<? extends Throwable>> expected = SettingWarnings.listed(settings);
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
        if (SettingWarnings.hasAttemptTimeout(settings)) {
            expected.add(AttemptTimeoutException.class);
        }
        if (accepted.stream().anyMatch(type -> mayBe(type, expected))) {
            return null;
        }
        return new SettingWarnings.Warning(
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

    private static boolean mayBe(Class<?> accepted, Set<Class<? extends Throwable>> expected) {
        return WRAPPERS.contains(accepted)
                || RetryHint.class.isAssignableFrom(accepted)
                || expected.stream()
                        .anyMatch(next -> next.isAssignableFrom(accepted) || accepted.isAssignableFrom(next));
    }

    /** Logs that a call asks for more attempts than the limit allows. */
    void warnOfCall(RetriedMethod method, EffectiveSettings settings) {
        if (isAboveLimit(settings) && !lowered.getAndSet(true)) {
            faults.warn(RetryWarning.LOWERED, aboveLimit(where(method), settings));
        }
    }

    /** Logs once for a durable method the settings of a call that are not stored with it. */
    void warnOfDurableCall(RetriedMethod method, RetrySettings override) {
        Set<String> lost = new TreeSet<>();
        override.values().keySet().stream()
                .filter(setting -> !setting.isPlain())
                .forEach(setting -> lost.add(setting.attribute()));
        if (!lost.isEmpty() && storedInPart.add(method)) {
            faults.warn(
                    RetryWarning.STORED_IN_PART,
                    where(method)
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
