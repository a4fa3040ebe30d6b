/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.settings.RetryFaults;
import dev.retryon.spring.settings.RetryLayer;
import dev.retryon.spring.settings.RetrySettings;
import dev.retryon.spring.settings.SettingKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A block of settings in {@code application.yml}. What is not set is left to weaker layers. */
class RetrySettingsProperties {

    /** Exceptions to retry, by themselves or as a cause; added to those of other layers. */
    private List<Class<? extends Throwable>> exceptions = new ArrayList<>();

    /** Exceptions never to retry, by themselves or as a cause; added to those of other layers. */
    private List<Class<? extends Throwable>> excludes = new ArrayList<>();

    /** Error codes never to retry, exact or ending in ".*"; added to those of other layers. */
    private List<String> nonRetryableErrors = new ArrayList<>();

    /** Attempts at most, the first one included: 1 means no retry. Default 3. */
    private @Nullable Integer maxAttempts;

    /** Whether there are retries at all. Default true. */
    private @Nullable Boolean retryable;

    /** How delays grow: a built-in strategy, a BackoffStrategy bean or a method of the bean. Default exponential. */
    private @Nullable String backoff;

    /** Base delay. Default 1s. */
    private @Nullable Duration delay;

    /** Multiplier of exponential and exponent of polynomial backoff, at least 1.0. Default 2.0. */
    private @Nullable Double multiplier;

    /** Cap on every delay. Default 5m, or the base delay if that is longer. */
    private @Nullable Duration maxDelay;

    /** How delays are spread: none, full, half, bounded, a percentage or an addition. Default 50%. */
    private @Nullable String jitter;

    /** Limit for all attempts and waits together; no retry starts after it. Zero is none. Default none. */
    private @Nullable Duration timeout;

    /** Limit for one attempt; zero is none. Default none. */
    private @Nullable Duration attemptTimeout;

    /**
     * Retry budget, one of retryon.budgets or "default". In retryon.defaults each method gets one of its own, elsewhere those
     * that name it share it. Default none.
     */
    private @Nullable String budget;

    /** SpEL that must be true for a failure to be retried. */
    private @Nullable String onlyIf;

    /** SpEL that must not be true for a failure to be retried. */
    private @Nullable String unless;

    /** SpEL over #result: returned values for which it is true are retried. */
    private @Nullable String retryIf;

    /** Method that serves the caller of a call that ended in failure: "method" or "bean#method". */
    private @Nullable String recover;

    public List<Class<? extends Throwable>> getExceptions() {
        return exceptions;
    }

    public void setExceptions(List<Class<? extends Throwable>> exceptions) {
        this.exceptions = exceptions;
    }

    public List<Class<? extends Throwable>> getExcludes() {
        return excludes;
    }

    public void setExcludes(List<Class<? extends Throwable>> excludes) {
        this.excludes = excludes;
    }

    public List<String> getNonRetryableErrors() {
        return nonRetryableErrors;
    }

    public void setNonRetryableErrors(List<String> nonRetryableErrors) {
        this.nonRetryableErrors = nonRetryableErrors;
    }

    public @Nullable Integer getMaxAttempts() {
        return maxAttempts;
    }

    public void setMaxAttempts(@Nullable Integer maxAttempts) {
        this.maxAttempts = maxAttempts;
    }

    public @Nullable Boolean getRetryable() {
        return retryable;
    }

    public void setRetryable(@Nullable Boolean retryable) {
        this.retryable = retryable;
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

    public @Nullable Duration getTimeout() {
        return timeout;
    }

    public void setTimeout(@Nullable Duration timeout) {
        this.timeout = timeout;
    }

    public @Nullable Duration getAttemptTimeout() {
        return attemptTimeout;
    }

    public void setAttemptTimeout(@Nullable Duration attemptTimeout) {
        this.attemptTimeout = attemptTimeout;
    }

    public @Nullable String getBudget() {
        return budget;
    }

    public void setBudget(@Nullable String budget) {
        this.budget = budget;
    }

    public @Nullable String getOnlyIf() {
        return onlyIf;
    }

    public void setOnlyIf(@Nullable String onlyIf) {
        this.onlyIf = onlyIf;
    }

    public @Nullable String getUnless() {
        return unless;
    }

    public void setUnless(@Nullable String unless) {
        this.unless = unless;
    }

    public @Nullable String getRetryIf() {
        return retryIf;
    }

    public void setRetryIf(@Nullable String retryIf) {
        this.retryIf = retryIf;
    }

    public @Nullable String getRecover() {
        return recover;
    }

    public void setRecover(@Nullable String recover) {
        this.recover = recover;
    }

    RetryLayer toLayer(String prefix, RetryFaults faults) {
        RetrySettings.Builder said = RetrySettings.builder();
        accept(
                said,
                SettingKey.EXCEPTIONS,
                throwables(SettingKey.EXCEPTIONS, exceptions, prefix, faults),
                prefix,
                faults);
        accept(said, SettingKey.EXCLUDES, throwables(SettingKey.EXCLUDES, excludes, prefix, faults), prefix, faults);
        accept(said, SettingKey.NON_RETRYABLE_ERRORS, nonRetryableErrors, prefix, faults);
        accept(said, SettingKey.MAX_ATTEMPTS, maxAttempts, prefix, faults);
        accept(said, SettingKey.RETRYABLE, retryable, prefix, faults);
        accept(said, SettingKey.DELAY, delay, prefix, faults);
        accept(said, SettingKey.MULTIPLIER, multiplier, prefix, faults);
        accept(said, SettingKey.MAX_DELAY, maxDelay, prefix, faults);
        accept(said, SettingKey.TIMEOUT, timeout, prefix, faults);
        accept(said, SettingKey.ATTEMPT_TIMEOUT, attemptTimeout, prefix, faults);
        read(said, SettingKey.BUDGET, budget, prefix, faults);
        read(said, SettingKey.BACKOFF, backoff, prefix, faults);
        read(said, SettingKey.JITTER, jitter, prefix, faults);
        read(said, SettingKey.ONLY_IF, onlyIf, prefix, faults);
        read(said, SettingKey.UNLESS, unless, prefix, faults);
        read(said, SettingKey.RETRY_IF, retryIf, prefix, faults);
        read(said, SettingKey.RECOVER, recover, prefix, faults);
        return new RetryLayer(prefix, said.build());
    }

    private static void accept(
            RetrySettings.Builder said, SettingKey key, @Nullable Object value, String prefix, RetryFaults faults) {
        said.accept(key, value, problem -> faults.add(prefix + "." + key.property(), problem));
    }

    private static void read(
            RetrySettings.Builder said, SettingKey key, @Nullable String text, String prefix, RetryFaults faults) {
        if (text != null) {
            said.read(key, text, problem -> faults.add(prefix + "." + key.property(), problem));
        }
    }

    /** Binding checks that they are classes, but not of what kind. */
    private static List<Class<?>> throwables(
            SettingKey key, List<? extends Class<?>> types, String prefix, RetryFaults faults) {
        List<Class<?>> throwables = new ArrayList<>();
        for (Class<?> type : types) {
            if (Throwable.class.isAssignableFrom(type)) {
                throwables.add(type);
            } else {
                faults.add(prefix + "." + key.property(), "has '" + type.getName() + "', which is no exception class");
            }
        }
        return throwables;
    }
}
