// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.DoNotRetry;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetrySettings;
import dev.retryon.spring.module.RetryWarning;
import dev.retryon.spring.module.Setting;
import dev.retryon.spring.module.SettingGroup;
import dev.retryon.spring.module.SettingSource;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Warns of settings that are allowed but prevent retries. Thread-safe. */
final class PolicyWarnings {

    private final RetryFaults faults;

    private final @Nullable Integer maxAttemptsLimit;

    /** Whether a number of attempts above the limit has been logged. */
    private final AtomicBoolean lowered = new AtomicBoolean();

    /** The methods whose calls had settings that are not stored with the calls. */
    private final Set<MethodRetry> storedInPart = ConcurrentHashMap.newKeySet();

    PolicyWarnings(RetryFaults faults, @Nullable Integer maxAttemptsLimit) {
        this.faults = faults;
        this.maxAttemptsLimit = maxAttemptsLimit;
    }

    /** Logs warnings about the settings of a retry. */
    void warn(NamedRetry retry, EffectiveSettings settings, List<RetrySettings> layers) {
        // Users who switch retries off need not remove the other settings.
        boolean isOff = mostAttempts(settings) <= 1 || !settings.require(Setting.RETRYABLE);
        if (isOff || (retry instanceof StandaloneRetry standalone && standalone.code() != null)) {
            return;
        }
        String where = where(retry);
        warnOfNoExceptions(where, retry, settings);
        warnOfLimit(retry, settings);
        warnOfNeverRetried(where, settings, layers);
        warnOfTimeout(where, settings);
        SettingGroup.all().forEach(group -> warnOfNoEffect(where, settings, layers, group.settings()));
        warnOfNoEffect(where, settings, layers, List.of(Setting.BUDGET, Setting.BUDGET_KEY));
    }

    private void warnOfNoExceptions(String where, NamedRetry retry, EffectiveSettings settings) {
        boolean expectsNone = settings.get(Setting.EXCEPTIONS) == null
                && settings.get(Setting.ERRORS) == null
                && settings.get(Setting.RETRY_IF) == null
                && !hasLimit(settings.get(Setting.ATTEMPT_TIMEOUT));
        String remedy = remedy(retry, settings);
        // If there is a fault, the list might be missing only because of this fault.
        if (expectsNone && remedy != null && !faults.hasAny()) {
            faults.warn(
                    RetryWarning.NO_EXCEPTIONS,
                    where + ": no layer lists an exception, so only errors that request a retry (RetrySignal,"
                            + " RetryHint) are retried; " + remedy + ", or set retryon.defaults.exceptions");
        }
    }

    /** Returns how to list an exception, or {@code null} if the retry needs no list. */
    private static @Nullable String remedy(NamedRetry retry, EffectiveSettings settings) {
        if (retry instanceof StandaloneRetry standalone) {
            return standalone.isClient() ? null : "set retryon.policies." + retry.name() + ".exceptions";
        }
        boolean needsNone = SettingGroup.all().stream().anyMatch(group -> group.needsNoExceptions(settings));
        return needsNone ? null : "write @RetryOn(IOException.class)";
    }

    /** Returns whether a time limit applies. Zero removes the limit of a weaker layer. */
    private static boolean hasLimit(@Nullable Duration limit) {
        return limit != null && !limit.isZero();
    }

    /** Warns of types that a layer lists although it or a weaker one excludes them, or no policy retries them. */
    private void warnOfNeverRetried(String where, EffectiveSettings settings, List<RetrySettings> layers) {
        Set<Class<? extends Throwable>> excluded = new LinkedHashSet<>();
        Map<String, String> reasons = new TreeMap<>();
        for (RetrySettings layer : layers) {
            excluded.addAll(Objects.requireNonNullElse(layer.get(Setting.EXCLUDES), Set.of()));
            for (Class<? extends Throwable> type : layer.listedTypes()) {
                excluded.stream()
                        .filter(next -> next.isAssignableFrom(type))
                        .findFirst()
                        .ifPresent(next -> reasons.put(
                                type.getName(),
                                " and " + (next == type ? "" : next.getName() + ", its supertype, is ")
                                        + "in 'excludes' ("
                                        + settings.source(Setting.EXCLUDES)
                                        + "), so the exception is not retried; correct one of the two lists"));
                if (isNeverRetried(type)) {
                    reasons.put(type.getName(), ", but is never retried itself; remove it");
                }
            }
        }
        reasons.forEach((type, reason) -> faults.warn(
                RetryWarning.NEVER_RETRIED, where + ": " + type + " is in " + listing(type, settings) + reason));
    }

    private static boolean isNeverRetried(Class<?> type) {
        return InterruptedException.class.isAssignableFrom(type)
                || VirtualMachineError.class.isAssignableFrom(type)
                || type.isAnnotationPresent(DoNotRetry.class);
    }

    private static String listing(String type, EffectiveSettings settings) {
        boolean isListed = Objects.requireNonNullElse(settings.get(Setting.EXCEPTIONS), Set.<Class<?>>of()).stream()
                .anyMatch(listed -> listed.getName().equals(type));
        Setting<?> setting = isListed ? Setting.EXCEPTIONS : Setting.ERRORS;
        return "'" + setting + "' (" + settings.source(setting) + ")";
    }

    private void warnOfTimeout(String where, EffectiveSettings settings) {
        Duration timeout = settings.get(Setting.TIMEOUT);
        if (timeout == null || timeout.isZero() || settings.require(Setting.MAX_ATTEMPTS) <= 1) {
            return;
        }
        if (hasErrorsWithoutRule(settings) && !settings.require(Setting.BACKOFF).equals("none")) {
            warnIfNotBelow(timeout, Setting.DELAY, "a call ends instead of waiting that long", where, settings);
        }
        warnIfNotBelow(
                timeout, Setting.ATTEMPT_TIMEOUT, "an attempt that takes this long is not retried", where, settings);
    }

    private void warnIfNotBelow(
            Duration timeout, Setting<Duration> setting, String consequence, String where, EffectiveSettings settings) {
        Duration value = settings.get(setting);
        if (value != null && value.compareTo(timeout) >= 0) {
            faults.warn(
                    RetryWarning.TIMEOUT,
                    where + ": " + setting + " is " + printed(setting, settings) + ", which is not below timeout, "
                            + printed(Setting.TIMEOUT, settings) + ", so " + consequence + "; set "
                            + (setting.equals(Setting.DELAY) ? "a delay" : "an attemptTimeout") + " below timeout");
        }
    }

    /** Returns whether the policy's own settings can apply, and not only those of its rules. */
    private static boolean hasErrorsWithoutRule(EffectiveSettings settings) {
        return settings.rules().isEmpty()
                || settings.get(Setting.EXCEPTIONS) != null
                || settings.get(Setting.RETRY_IF) != null
                || hasLimit(settings.get(Setting.ATTEMPT_TIMEOUT));
    }

    private static String printed(Setting<?> setting, EffectiveSettings settings) {
        EffectiveSettings.Value<?> value = Objects.requireNonNull(settings.value(setting));
        return "'" + value.print() + "' (" + value.source() + ")";
    }

    /** Warns of settings in the method's own annotation that require the first setting, which no layer has. */
    private void warnOfNoEffect(
            String where, EffectiveSettings settings, List<RetrySettings> layers, List<Setting<?>> related) {
        Setting<?> required = related.get(0);
        List<Setting<?>> own = related.stream()
                .skip(1)
                .filter(setting -> settings.sources(setting).stream()
                        .anyMatch(source -> source.kind() == SettingSource.Kind.METHOD_ANNOTATION))
                .toList();
        // A layer that turns the required setting off does so on purpose.
        if (own.isEmpty() || layers.stream().anyMatch(layer -> layer.get(required) != null)) {
            return;
        }
        String printed = own.stream()
                .map(setting -> setting + " is " + printed(setting, settings))
                .collect(Collectors.joining(", "));
        String names = own.stream().map(Setting::attribute).collect(Collectors.joining(", "));
        faults.warn(
                RetryWarning.NO_EFFECT,
                where + ": " + printed + ", which has no effect without " + required + "; set " + required
                        + ", or remove " + names);
    }

    private static String where(NamedRetry retry) {
        boolean isClient = retry instanceof StandaloneRetry standalone && standalone.isClient();
        return isClient ? "HTTP clients" : retry.place().text();
    }

    void warnOfLimit(NamedRetry retry, EffectiveSettings settings) {
        int most = mostAttempts(settings);
        if (maxAttemptsLimit == null || most <= maxAttemptsLimit || lowered.getAndSet(true)) {
            return;
        }
        faults.warn(
                RetryWarning.LOWERED,
                where(retry) + ": maxAttempts " + most + " ("
                        + mostPersistent(settings).source(Setting.MAX_ATTEMPTS)
                        + ") is above retryon.limits.max-attempts and is lowered to " + maxAttemptsLimit
                        + "; lower it, or raise the limit (logged once)");
    }

    private static int mostAttempts(EffectiveSettings settings) {
        return mostPersistent(settings).require(Setting.MAX_ATTEMPTS);
    }

    /** Returns the settings with the most attempts, either the policy's own or those of a rule. */
    private static EffectiveSettings mostPersistent(EffectiveSettings settings) {
        EffectiveSettings most = settings;
        for (EffectiveSettings rule : settings.rules().values()) {
            Integer own = rule.get(Setting.MAX_ATTEMPTS);
            most = own == null || own <= most.require(Setting.MAX_ATTEMPTS) ? most : rule;
        }
        return most;
    }

    /** Logs the settings of a call that are not stored with the call, once for each method. */
    void warnOfStoredCall(MethodRetry method, RetrySettings override) {
        String lost = override.values().keySet().stream()
                .filter(setting -> !setting.isPlain())
                .map(Setting::attribute)
                .sorted()
                .collect(Collectors.joining(", "));
        if (!lost.isEmpty() && storedInPart.add(method)) {
            faults.warn(
                    RetryWarning.STORED_IN_PART,
                    where(method) + ": a stored call does not include " + lost
                            + " from Retries.with, so workers use the method's settings; set them on the method or in a"
                            + " policy");
        }
    }
}
