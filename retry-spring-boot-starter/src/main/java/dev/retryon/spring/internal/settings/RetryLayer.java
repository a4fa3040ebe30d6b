// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.settings;

import dev.retryon.RetryPolicy;
import dev.retryon.backoff.Backoff;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.RetrySettings;
import dev.retryon.spring.RetrySettingsBuilder;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The settings of one source, with the faults that count only if a method of this application has these settings.
 * Placeholders are texts by their values, which may be secrets.
 */
public record RetryLayer(
        SettingSource source, RetrySettings settings, List<RetryFault> faults, Map<String, String> placeholders) {

    public RetryLayer(SettingSource source, RetrySettings settings) {
        this(source, settings, List.of(), Map.of());
    }

    /** The types that this layer lists, or has a rule for, as a new set. */
    public Set<Class<? extends Throwable>> listedTypes() {
        Map<ErrorKey, RetrySettings> rules = settings.get(Setting.ERRORS);
        return ErrorKey.types(settings.get(Setting.EXCEPTIONS), rules == null ? Set.of() : rules.keySet());
    }

    static RetryLayer of(RetryPolicy policy) {
        RetrySettingsBuilder settings = limits(RetrySettings.builder(), policy).retryable(policy.retryable());
        policy.errorRules().forEach((error, rule) -> settings.onErrorCode(error, shown -> limits(shown, rule)));
        Consumer<String> none = fault -> {};
        settings.accept(Setting.EXCEPTIONS, policy.exceptions(), none)
                .accept(Setting.EXCLUDES, policy.excludes(), none)
                .accept(Setting.NON_RETRYABLE_ERRORS, policy.nonRetryableErrors(), none)
                .accept(Setting.TIMEOUT, policy.timeout(), none)
                .accept(Setting.ATTEMPT_TIMEOUT, policy.attemptTimeout(), none)
                .accept(Setting.RECOVER_ON, policy.recoverOn(), none);
        return new RetryLayer(SettingSource.CODE, settings.build());
    }

    /** The settings of a policy that a rule can have as well. */
    private static RetrySettingsBuilder limits(RetrySettingsBuilder settings, RetryPolicy policy) {
        return settings.maxAttempts(policy.maxAttempts())
                // Another strategy's own text may fail, or be different each time.
                .backoff(
                        policy.backoff() instanceof Backoff builtIn
                                ? builtIn.toString()
                                : policy.backoff().getClass().getName())
                .delay(policy.delay())
                .multiplier(policy.multiplier())
                .maxDelay(policy.maxDelay())
                .jitter(policy.jitter())
                .budgetCost(policy.budgetCost());
    }
}
