// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.internal.settings.ErrorKey;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetrySettings;
import dev.retryon.spring.module.Setting;
import dev.retryon.spring.module.SettingSource;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Settings that override the policy for one error. Settings that are not set come from the policy.
 *
 * @param maxAttempts Maximum number of attempts, including the first one, at least 1.
 * @param backoff How delays grow: a built-in strategy, the name of a BackoffStrategy bean, or the name of a method of the
 *     bean.
 * @param delay Base delay, from 0 to 24h.
 * @param multiplier Factor of exponential backoff and exponent of polynomial backoff, at least 1.0.
 * @param maxDelay Maximum delay, from the base delay to 24h.
 * @param jitter How delays are spread at random: none, full, half, bounded, a percentage from 0% to 100%, or a duration to
 *     add, such as +3s.
 * @param budgetCost Number of tokens that a retry takes from the budget, 0 or more.
 */
record ErrorRuleProperties(
        @Nullable Integer maxAttempts,
        @Nullable String backoff,
        @Nullable Duration delay,
        @Nullable Double multiplier,
        @Nullable Duration maxDelay,
        @Nullable String jitter,
        @Nullable Double budgetCost) {

    static Map<ErrorKey, RetrySettings> read(
            Map<String, ErrorRuleProperties> rules, SettingSource source, RetryFaults faults) {
        Map<ErrorKey, RetrySettings> read = new LinkedHashMap<>();
        rules.forEach((error, rule) -> {
            ErrorKey key = key(error);
            if (key == null) {
                faults.add(
                        source.place(Setting.ERRORS) + "[" + error + "]",
                        "names a class that is not an exception class");
            } else {
                read.put(key, rule.read(new PropertyReader(source.ofRule(key), faults)));
            }
        });
        return read;
    }

    private static @Nullable ErrorKey key(String error) {
        if (!error.contains(".") || !ClassUtils.isPresent(error, null)) {
            return ErrorKey.ofCode(error);
        }
        Class<?> type = ClassUtils.resolveClassName(error, null);
        return Throwable.class.isAssignableFrom(type) ? ErrorKey.of(type.asSubclass(Throwable.class)) : null;
    }

    private RetrySettings read(PropertyReader rule) {
        rule.accept(Setting.MAX_ATTEMPTS, maxAttempts);
        rule.read(Setting.BACKOFF, backoff);
        rule.accept(Setting.DELAY, delay);
        rule.accept(Setting.MULTIPLIER, multiplier);
        rule.accept(Setting.MAX_DELAY, maxDelay);
        rule.read(Setting.JITTER, jitter);
        rule.accept(Setting.BUDGET_COST, budgetCost);
        return rule.toLayer();
    }
}
