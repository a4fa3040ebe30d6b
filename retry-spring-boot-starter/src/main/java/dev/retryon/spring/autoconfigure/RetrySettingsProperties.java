// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.ExhaustionAction;
import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.settings.RetryLayer;
import dev.retryon.spring.internal.settings.RetrySettings;
import dev.retryon.spring.internal.settings.Setting;
import dev.retryon.spring.internal.settings.SettingSource;
import dev.retryon.spring.internal.settings.StoringMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A block of settings in {@code application.yml}. A setting that is not set is inherited from weaker layers. */
class RetrySettingsProperties {

    /** Exceptions to retry, thrown directly or as a cause. Added to those of other layers. */
    private List<Class<? extends Throwable>> exceptions = new ArrayList<>();

    /** Exceptions never to retry, thrown directly or as a cause. Added to those of other layers. */
    private List<Class<? extends Throwable>> excludes = new ArrayList<>();

    /**
     * Error codes never to retry: an exact code, or a prefix that ends in "*", such as "auth.*". Added to those of
     * other layers.
     */
    private List<String> nonRetryableErrors = new ArrayList<>();

    /**
     * Other settings for some errors, by exception class or error code, such as "[com.acme.ThrottledException].delay" or
     * "http.503.max-attempts". Settings: max-attempts, backoff, delay, multiplier, max-delay, jitter and budget-cost.
     */
    private Map<String, String> errors = new LinkedHashMap<>();

    /** Maximum number of attempts including the first one, at least 1. 1 means no retry, 2147483647 means no limit. */
    private @Nullable Integer maxAttempts;

    /** Whether to retry at all. The first attempt always runs. */
    private @Nullable Boolean retryable;

    /** How delays grow: a built-in strategy, the name of a BackoffStrategy bean, or the name of a method of the bean. */
    private @Nullable String backoff;

    /** Base delay, from 0 to 24h. */
    private @Nullable Duration delay;

    /** Factor of exponential backoff and exponent of polynomial backoff, at least 1.0. */
    private @Nullable Double multiplier;

    /** Maximum delay, from the base delay to 24h. If not set, a base delay over 5m is also the maximum. */
    private @Nullable Duration maxDelay;

    /** How delays are spread: none, full, half, bounded, a percentage from 0% to 100%, or an addition such as +3s. */
    private @Nullable String jitter;

    /** Time limit for all attempts and waits together. No retry starts after it. 0 means no limit. */
    private @Nullable Duration timeout;

    /** Time limit for one attempt. 0 means no limit. */
    private @Nullable Duration attemptTimeout;

    /**
     * Name of a retry budget: "default" or one of retryon.budgets. Methods that name the same budget share it. In
     * retryon.defaults, each method gets a separate budget.
     */
    private @Nullable String budget;

    /** Divides the budget: SpEL over the arguments, such as "#tenant". Each value has its own tokens. */
    private @Nullable String budgetKey;

    /** Number of tokens of the budget that a retry takes, 0 or more. If not set, 1. */
    private @Nullable Double budgetCost;

    /** SpEL expression that must be true for a failure to be retried, such as "#error.message != 'closed'". */
    private @Nullable String onlyIf;

    /** SpEL expression that must not be true for a failure to be retried, such as "#attempt > 2". */
    private @Nullable String unless;

    /** SpEL expression over #result, such as "#result == 'pending'". Returned values for which it is true are retried. */
    private @Nullable String retryIf;

    /**
     * Action after all retries have failed. "dead-letter" needs the module retry-durable. "discard" deletes durable
     * calls that would become dead letters.
     */
    private @Nullable ExhaustionAction onExhaustion;

    /**
     * Whether calls survive a restart of the process. Only for methods that return nothing. Values other than "off"
     * need the module retry-durable.
     */
    private @Nullable StoringMode durable;

    /**
     * Lane of durable calls: a name below "retryon.durable.lanes", or "default". Without effect on methods that are not
     * durable.
     */
    private @Nullable String lane;

    /**
     * SpEL expression over the arguments of a durable call, such as "#order.id". While a call is stored, another call of
     * the method with an equal value is not stored.
     */
    private @Nullable String uniqueKey;

    /** How long a call waits before its first attempt. Only for methods with durable "outbox". */
    private @Nullable Duration initialDelay;

    /** Recovery method to call instead of throwing: "method" of the same bean, or "bean#method". */
    private @Nullable String recover;

    /** Method to call after each wait and before the next attempt: "method" of the same bean, or "bean#method". */
    private @Nullable String beforeRetry;

    /** Exceptions that the recovery method handles although they are not retried. Added to those of other layers. */
    private List<Class<? extends Throwable>> recoverOn = new ArrayList<>();

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

    public Map<String, String> getErrors() {
        return errors;
    }

    public void setErrors(Map<String, String> errors) {
        this.errors = errors;
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

    public @Nullable String getBudgetKey() {
        return budgetKey;
    }

    public void setBudgetKey(@Nullable String budgetKey) {
        this.budgetKey = budgetKey;
    }

    public @Nullable Double getBudgetCost() {
        return budgetCost;
    }

    public void setBudgetCost(@Nullable Double budgetCost) {
        this.budgetCost = budgetCost;
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

    public @Nullable StoringMode getDurable() {
        return durable;
    }

    public void setDurable(@Nullable StoringMode durable) {
        this.durable = durable;
    }

    public @Nullable String getLane() {
        return lane;
    }

    public void setLane(@Nullable String lane) {
        this.lane = lane;
    }

    public @Nullable String getUniqueKey() {
        return uniqueKey;
    }

    public void setUniqueKey(@Nullable String uniqueKey) {
        this.uniqueKey = uniqueKey;
    }

    public @Nullable Duration getInitialDelay() {
        return initialDelay;
    }

    public void setInitialDelay(@Nullable Duration initialDelay) {
        this.initialDelay = initialDelay;
    }

    public @Nullable ExhaustionAction getOnExhaustion() {
        return onExhaustion;
    }

    public void setOnExhaustion(@Nullable ExhaustionAction onExhaustion) {
        this.onExhaustion = onExhaustion;
    }

    public @Nullable String getRecover() {
        return recover;
    }

    public void setRecover(@Nullable String recover) {
        this.recover = recover;
    }

    public @Nullable String getBeforeRetry() {
        return beforeRetry;
    }

    public void setBeforeRetry(@Nullable String beforeRetry) {
        this.beforeRetry = beforeRetry;
    }

    public List<Class<? extends Throwable>> getRecoverOn() {
        return recoverOn;
    }

    public void setRecoverOn(List<Class<? extends Throwable>> recoverOn) {
        this.recoverOn = recoverOn;
    }

    RetryLayer toLayer(SettingSource source, RetryFaults faults) {
        RetrySettings.Builder settings = RetrySettings.builder();
        PropertyReader layer = new PropertyReader(settings, source, faults);
        layer.accept(Setting.EXCEPTIONS, layer.errors(Setting.EXCEPTIONS, exceptions));
        layer.accept(Setting.EXCLUDES, layer.errors(Setting.EXCLUDES, excludes));
        layer.accept(Setting.NON_RETRYABLE_ERRORS, PropertyReader.texts(nonRetryableErrors));
        layer.accept(Setting.ERRORS, ErrorRuleProperties.read(errors, source, faults));
        layer.accept(Setting.MAX_ATTEMPTS, maxAttempts);
        layer.accept(Setting.RETRYABLE, retryable);
        layer.accept(Setting.DELAY, delay);
        layer.accept(Setting.MULTIPLIER, multiplier);
        layer.accept(Setting.MAX_DELAY, maxDelay);
        layer.accept(Setting.TIMEOUT, timeout);
        layer.accept(Setting.ATTEMPT_TIMEOUT, attemptTimeout);
        layer.read(Setting.BUDGET, budget);
        layer.read(Setting.BUDGET_KEY, budgetKey);
        layer.accept(Setting.BUDGET_COST, budgetCost);
        layer.read(Setting.BACKOFF, backoff);
        layer.read(Setting.JITTER, jitter);
        layer.read(Setting.ONLY_IF, onlyIf);
        layer.read(Setting.UNLESS, unless);
        layer.read(Setting.RETRY_IF, retryIf);
        layer.accept(Setting.ON_EXHAUSTION, onExhaustion);
        layer.accept(Setting.DURABLE, durable);
        layer.read(Setting.LANE, lane);
        layer.read(Setting.UNIQUE_KEY, uniqueKey);
        layer.accept(Setting.INITIAL_DELAY, initialDelay);
        layer.read(Setting.RECOVER, recover);
        layer.read(Setting.BEFORE_RETRY, beforeRetry);
        layer.accept(Setting.RECOVER_ON, layer.errors(Setting.RECOVER_ON, recoverOn));
        return new RetryLayer(source, settings.build(), faults.takeIfUsed(source.describe()), Map.of());
    }
}
