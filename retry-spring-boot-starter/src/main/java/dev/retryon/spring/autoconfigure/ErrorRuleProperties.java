// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.settings.ErrorKey;
import dev.retryon.spring.internal.settings.RetrySettings;
import dev.retryon.spring.internal.settings.Setting;
import dev.retryon.spring.internal.settings.SettingSource;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** Other settings for one error. A setting that is not set is that of the policy. */
class ErrorRuleProperties {

    /** Maximum number of attempts including the first one, at least 1. */
    private @Nullable Integer maxAttempts;

    /** How delays grow: a built-in strategy, the name of a BackoffStrategy bean, or the name of a method of the bean. */
    private @Nullable String backoff;

    /** Base delay, from 0 to 24h. */
    private @Nullable Duration delay;

    /** Factor of exponential backoff and exponent of polynomial backoff, at least 1.0. */
    private @Nullable Double multiplier;

    /** Maximum delay, from the base delay to 24h. */
    private @Nullable Duration maxDelay;

    /** How delays are spread: none, full, half, bounded, a percentage from 0% to 100%, or an addition such as +3s. */
    private @Nullable String jitter;

    /** Number of tokens of the budget that a retry takes, 0 or more. */
    private @Nullable Double budgetCost;

    public @Nullable Integer getMaxAttempts() {
        return maxAttempts;
    }

    public void setMaxAttempts(@Nullable Integer maxAttempts) {
        this.maxAttempts = maxAttempts;
    }

    public @Nullable String getBackoff() {
        return backoff;
    }

    public void setBackoff(@Nullable String backoff) {
        this.backoff = backoff;
    }

    public @Nullable Duration getDelay() {
        return delay;
    }

    public void setDelay(@Nullable Duration delay) {
        this.delay = delay;
    }

    public @Nullable Double getMultiplier() {
        return multiplier;
    }

    public void setMultiplier(@Nullable Double multiplier) {
        this.multiplier = multiplier;
    }

    public @Nullable Duration getMaxDelay() {
        return maxDelay;
    }

    public void setMaxDelay(@Nullable Duration maxDelay) {
        this.maxDelay = maxDelay;
    }

    public @Nullable String getJitter() {
        return jitter;
    }

    public void setJitter(@Nullable String jitter) {
        this.jitter = jitter;
    }

    public @Nullable Double getBudgetCost() {
        return budgetCost;
    }

    public void setBudgetCost(@Nullable Double budgetCost) {
        this.budgetCost = budgetCost;
    }

    /** Reads the rules of a block of settings by exception class or error code, and records their faults. */
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
        return rule.toLayer().settings();
    }
}
