/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.spring.settings.EffectiveSettings;
import dev.retryon.spring.settings.RetryFaults;
import dev.retryon.spring.settings.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Warns of settings that are allowed but do not do what somebody may expect. Thread-safe. */
final class PolicyWarnings {

    private final RetryFaults faults;

    private final @Nullable Integer maxAttemptsLimit;

    /** Methods of which calls asked for more attempts than the limit allows. */
    private final Set<RetriedMethod> loweredByCalls = ConcurrentHashMap.newKeySet();

    PolicyWarnings(RetryFaults faults, @Nullable Integer maxAttemptsLimit) {
        this.faults = faults;
        this.maxAttemptsLimit = maxAttemptsLimit;
    }

    /** Logs what is odd about the settings of a method; returns whether anything is. */
    boolean warn(String where, EffectiveSettings settings) {
        List<String> warnings = new ArrayList<>();
        if (settings.get(Setting.EXCEPTIONS) == null
                && settings.get(Setting.RETRY_IF) == null
                && settings.get(Setting.ATTEMPT_TIMEOUT) == null) {
            warnings.add(where + " is never retried, for no layer lists an exception: say @RetryOn(IOException.class), "
                    + "or set retryon.defaults.exceptions");
        }
        int maxAttempts = settings.require(Setting.MAX_ATTEMPTS);
        if (maxAttempts == 0) {
            warnings.add(where + ": maxAttempts is 0 (" + settings.source(Setting.MAX_ATTEMPTS)
                    + "), which is taken as 1, no retry; use 1");
        }
        if (maxAttempts > 1 && settings.isSet(Setting.MAX_ATTEMPTS) && !settings.require(Setting.RETRYABLE)) {
            warnings.add(where + ": retryable is false (" + settings.source(Setting.RETRYABLE) + "), so maxAttempts "
                    + maxAttempts + " (" + settings.source(Setting.MAX_ATTEMPTS)
                    + ") has no effect; set maxAttempts = 1");
        }
        if (isAboveLimit(settings)) {
            warnings.add(aboveLimit(where, settings));
        }
        warnings.forEach(faults::warn);
        return !warnings.isEmpty();
    }

    /** Logs once for a method that a call asks for more attempts than the limit allows. */
    void warnOfCall(RetriedMethod method, EffectiveSettings settings) {
        if (isAboveLimit(settings) && loweredByCalls.add(method)) {
            faults.warn(aboveLimit(
                    method.beanClass().getName() + "." + method.method().getName(), settings));
        }
    }

    /** Logs that methods of two classes have the same default name. */
    void warnOfSharedName(RetriedMethod method, boolean isDefaultName, RetriedMethods methods) {
        for (RetriedMethod namesake : methods.named(method.name())) {
            Class<?> other = namesake.beanClass();
            if (isDefaultName && other != method.beanClass() && !other.isAssignableFrom(method.beanClass())) {
                faults.warn("Retried methods of " + other.getName() + " and "
                        + method.beanClass().getName() + " share the name '" + method.name()
                        + "' in meters and logs: give one of them a name, @RetryOn(name = \"…\")");
                return;
            }
        }
    }

    private boolean isAboveLimit(EffectiveSettings settings) {
        return maxAttemptsLimit != null && settings.require(Setting.MAX_ATTEMPTS) > maxAttemptsLimit;
    }

    private String aboveLimit(String where, EffectiveSettings settings) {
        return where + ": maxAttempts " + settings.get(Setting.MAX_ATTEMPTS) + " ("
                + settings.source(Setting.MAX_ATTEMPTS)
                + ") is above retryon.limits.max-attempts and is lowered to " + maxAttemptsLimit;
    }
}
