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
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
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

    /** Logs warnings about the settings of a retry. Returns whether any warning was found. */
    boolean warn(NamedRetry retry, EffectiveSettings settings, List<RetrySettings> layers) {
        if (retry instanceof StandaloneRetry standalone) {
            String name = retry.name();
            return standalone.code() == null
                    && (standalone.use() == StandaloneRetry.Use.HTTP_CLIENT
                            // Clients need no list of exceptions.
                            ? warn("HTTP clients", null, settings, layers)
                            : warn(
                                    "Retry '" + name + "'",
                                    "set retryon.policies." + name + ".exceptions",
                                    settings,
                                    layers));
        }
        boolean needsNoList = SettingGroup.all().stream().anyMatch(group -> group.needsNoExceptions(settings));
        return warn(where(retry), needsNoList ? null : "write @RetryOn(IOException.class)", settings, layers);
    }

    /** @param remedy what to do if no layer lists an exception; {@code null} if no exception is needed */
    private boolean warn(
            String where, @Nullable String remedy, EffectiveSettings settings, List<RetrySettings> layers) {
        // Users who switch retries off need not remove the other settings.
        if (mostAttempts(settings) <= 1 || !settings.require(Setting.RETRYABLE)) {
            return false;
        }
        boolean odd = log(RetryWarning.NO_EXCEPTIONS, noExceptions(where, remedy, settings));
        odd |= warnOfLimit(where, settings);
        odd |= log(RetryWarning.NEVER_RETRIED, neverRetried(where, settings, layers));
        odd |= log(RetryWarning.TIMEOUT, notBelowTimeout(where, settings));
        for (SettingGroup group : SettingGroup.all()) {
            odd |= log(RetryWarning.NO_EFFECT, withoutEffect(where, settings, layers, group.settings()));
        }
        odd |= log(
                RetryWarning.NO_EFFECT,
                withoutEffect(where, settings, layers, List.of(Setting.BUDGET, Setting.BUDGET_KEY)));
        return odd;
    }

    private boolean log(RetryWarning code, List<String> sentences) {
        sentences.forEach(sentence -> faults.warn(code, sentence));
        return !sentences.isEmpty();
    }

    private List<String> noExceptions(String where, @Nullable String remedy, EffectiveSettings settings) {
        boolean expectsNone = settings.get(Setting.EXCEPTIONS) == null
                && settings.get(Setting.ERRORS) == null
                && settings.get(Setting.RETRY_IF) == null
                && !hasLimit(settings.get(Setting.ATTEMPT_TIMEOUT));
        // If there is a fault, the list might be missing only because of this fault.
        return remedy == null || !expectsNone || faults.hasAny()
                ? List.of()
                : List.of(where + ": no layer lists an exception, so only errors that request a retry (RetrySignal,"
                        + " RetryHint) are retried; " + remedy + ", or set retryon.defaults.exceptions");
    }

    /** Returns whether a time limit applies. Zero removes the limit of a weaker layer. */
    private static boolean hasLimit(@Nullable Duration limit) {
        return limit != null && !limit.isZero();
    }

    /** Finds types that a layer lists although it or a weaker one excludes them, or no policy retries them. */
    private static List<String> neverRetried(String where, EffectiveSettings settings, List<RetrySettings> layers) {
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
        List<String> sentences = new ArrayList<>();
        reasons.forEach(
                (type, reason) -> sentences.add(where + ": " + type + " is in " + listing(type, settings) + reason));
        return sentences;
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

    private static List<String> notBelowTimeout(String where, EffectiveSettings settings) {
        Duration timeout = settings.get(Setting.TIMEOUT);
        if (!hasLimit(timeout) || settings.require(Setting.MAX_ATTEMPTS) <= 1) {
            return List.of();
        }
        List<String> sentences = new ArrayList<>();
        String above = ", which is not below timeout, " + printed(Setting.TIMEOUT, settings);
        if (hasErrorsWithoutRule(settings)
                && !settings.require(Setting.BACKOFF).equals("none")
                && settings.require(Setting.DELAY).compareTo(timeout) >= 0) {
            sentences.add(where + ": delay is " + printed(Setting.DELAY, settings) + above
                    + ", so a call ends instead of waiting that long; set a delay below timeout");
        }
        Duration attemptTimeout = settings.get(Setting.ATTEMPT_TIMEOUT);
        if (attemptTimeout != null && attemptTimeout.compareTo(timeout) >= 0) {
            sentences.add(where + ": attemptTimeout is " + printed(Setting.ATTEMPT_TIMEOUT, settings) + above
                    + ", so an attempt that takes this long is not retried; set an attemptTimeout below timeout");
        }
        return sentences;
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

    /** Finds settings in the method's own annotation that require the first setting, which no layer has. */
    private static List<String> withoutEffect(
            String where, EffectiveSettings settings, List<RetrySettings> layers, List<Setting<?>> related) {
        Setting<?> required = related.get(0);
        List<Setting<?>> own = related.stream()
                .skip(1)
                .filter(setting -> settings.sources(setting).stream()
                        .anyMatch(source -> source.kind() == SettingSource.Kind.METHOD_ANNOTATION))
                .toList();
        // A layer that turns the required setting off does so on purpose.
        if (own.isEmpty() || layers.stream().anyMatch(layer -> layer.get(required) != null)) {
            return List.of();
        }
        String printed = own.stream()
                .map(setting -> setting + " is " + printed(setting, settings))
                .collect(Collectors.joining(", "));
        String names = own.stream().map(Setting::attribute).collect(Collectors.joining(", "));
        return List.of(where + ": " + printed + ", which has no effect without " + required + "; set " + required
                + ", or remove " + names);
    }

    private static String where(NamedRetry retry) {
        return retry.place().text();
    }

    void warnOfCall(MethodRetry method, EffectiveSettings settings) {
        warnOfLimit(where(method), settings);
    }

    private boolean warnOfLimit(String where, EffectiveSettings settings) {
        int most = mostAttempts(settings);
        if (maxAttemptsLimit == null || most <= maxAttemptsLimit || lowered.getAndSet(true)) {
            return false;
        }
        faults.warn(
                RetryWarning.LOWERED,
                where + ": maxAttempts " + most + " ("
                        + mostPersistent(settings).source(Setting.MAX_ATTEMPTS)
                        + ") is above retryon.limits.max-attempts and is lowered to " + maxAttemptsLimit
                        + "; lower it, or raise the limit (logged once)");
        return true;
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
        Set<String> lost = new TreeSet<>();
        override.values().keySet().stream()
                .filter(setting -> !setting.isPlain())
                .forEach(setting -> lost.add(setting.attribute()));
        if (!lost.isEmpty() && storedInPart.add(method)) {
            faults.warn(
                    RetryWarning.STORED_IN_PART,
                    where(method)
                            + ": a stored call does not include " + String.join(", ", lost)
                            + " from Retries.with, so workers use the method's settings; set them on the method or in a"
                            + " policy");
        }
    }
}
