// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring;

import dev.retryon.backoff.Jitter;
import dev.retryon.spring.internal.settings.ErrorKey;
import dev.retryon.spring.module.RetrySettings;
import dev.retryon.spring.module.Setting;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Collects the settings for {@link Retries#with}. Each setter rejects an invalid value immediately. Not thread-safe.
 *
 * @since 0.1.0
 */
@SuppressWarnings("varargs") // arrays are only read
public final class RetrySettingsBuilder {

    private final RetrySettings.Builder values = RetrySettings.builder();

    RetrySettingsBuilder() {}

    /**
     * Adds exceptions to retry.
     *
     * @param types the types
     * @return this builder
     */
    @SafeVarargs
    public final RetrySettingsBuilder exceptions(Class<? extends Throwable>... types) {
        return set(Setting.EXCEPTIONS, new LinkedHashSet<>(Arrays.asList(types)));
    }

    /**
     * Adds exceptions that are never retried.
     *
     * @param types the types
     * @return this builder
     */
    @SafeVarargs
    public final RetrySettingsBuilder excludes(Class<? extends Throwable>... types) {
        return set(Setting.EXCLUDES, new LinkedHashSet<>(Arrays.asList(types)));
    }

    /**
     * Adds error codes that are never retried.
     *
     * @param patterns exact codes, or prefixes that end in {@code *}
     * @return this builder
     */
    public RetrySettingsBuilder nonRetryableErrors(String... patterns) {
        return set(Setting.NON_RETRYABLE_ERRORS, new LinkedHashSet<>(Arrays.asList(patterns)));
    }

    /**
     * Adds a rule that overrides settings for errors of the given type. Calls are retried for these errors even if the
     * type is not listed. The rule is merged with any earlier rule for the same type.
     *
     * @param type the type; its subclasses are included
     * @param rule sets {@code maxAttempts}, {@code backoff}, {@code delay}, {@code multiplier}, {@code maxDelay},
     *     {@code jitter} or {@code budgetCost}
     * @return this builder
     * @throws IllegalArgumentException if the rule sets anything else
     * @see OnError
     */
    public RetrySettingsBuilder onError(Class<? extends Throwable> type, Consumer<RetrySettingsBuilder> rule) {
        return rule(ErrorKey.of(type), rule);
    }

    /**
     * Adds a rule that overrides settings for errors with the given code. See {@link #onError}.
     *
     * @param code an exact code, or a prefix that ends in {@code *}
     * @param rule sets the settings of the rule
     * @return this builder
     * @throws IllegalArgumentException if the code is blank or the rule contains a setting that is not allowed in rules
     */
    public RetrySettingsBuilder onErrorCode(String code, Consumer<RetrySettingsBuilder> rule) {
        return rule(ErrorKey.ofCode(code), rule);
    }

    private RetrySettingsBuilder rule(ErrorKey error, Consumer<RetrySettingsBuilder> rule) {
        RetrySettingsBuilder settings = new RetrySettingsBuilder();
        rule.accept(settings);
        return set(Setting.ERRORS, Map.of(error, settings.build()));
    }

    /**
     * Sets the maximum number of attempts, including the first one. The default is 3.
     *
     * @param maxAttempts the maximum, at least 1; 0 counts as 1
     * @return this builder
     * @throws IllegalArgumentException if the value is negative
     */
    public RetrySettingsBuilder maxAttempts(int maxAttempts) {
        return set(Setting.MAX_ATTEMPTS, maxAttempts);
    }

    /**
     * Sets whether to retry at all. The default is {@code true}.
     *
     * @param retryable {@code false} to disable retries
     * @return this builder
     */
    public RetrySettingsBuilder retryable(boolean retryable) {
        return set(Setting.RETRYABLE, retryable);
    }

    /**
     * Sets how delays grow. The default is {@code exponential}.
     *
     * @param name a built-in strategy, a bean or a method of the called bean; see {@link RetryOn#backoff()}
     * @return this builder
     */
    public RetrySettingsBuilder backoff(String name) {
        return set(Setting.BACKOFF, name);
    }

    /**
     * Sets the base delay. The default is 1 second.
     *
     * @param delay the base delay, zero or more
     * @return this builder
     * @throws IllegalArgumentException if the value is negative
     */
    public RetrySettingsBuilder delay(Duration delay) {
        return set(Setting.DELAY, delay);
    }

    /**
     * Sets the factor of exponential backoff and the exponent of polynomial backoff. The default is 2.0.
     *
     * @param multiplier the factor or exponent, at least 1.0
     * @return this builder
     * @throws IllegalArgumentException if the value is below 1 or not finite
     */
    public RetrySettingsBuilder multiplier(double multiplier) {
        return set(Setting.MULTIPLIER, multiplier);
    }

    /**
     * Sets the maximum delay. The default is 5 minutes, or the base delay if that is longer.
     *
     * @param maxDelay the maximum delay, at least the base delay
     * @return this builder
     * @throws IllegalArgumentException if the value is negative
     */
    public RetrySettingsBuilder maxDelay(Duration maxDelay) {
        return set(Setting.MAX_DELAY, maxDelay);
    }

    /**
     * Sets how delays are spread at random. The default is 50 %.
     *
     * @param jitter the jitter
     * @return this builder
     */
    public RetrySettingsBuilder jitter(Jitter jitter) {
        return set(Setting.JITTER, jitter);
    }

    /**
     * Sets the time limit for all attempts and waits together. By default, no limit applies.
     *
     * @param timeout the time limit; zero means no limit
     * @return this builder
     * @throws IllegalArgumentException if the value is negative
     */
    public RetrySettingsBuilder timeout(Duration timeout) {
        return set(Setting.TIMEOUT, timeout);
    }

    /**
     * Sets the time limit for one attempt. By default, no limit applies.
     *
     * @param attemptTimeout the time limit; zero means no limit
     * @return this builder
     * @throws IllegalArgumentException if the value is negative
     */
    public RetrySettingsBuilder attemptTimeout(Duration attemptTimeout) {
        return set(Setting.ATTEMPT_TIMEOUT, attemptTimeout);
    }

    /**
     * Sets the number of tokens that a retry takes from the budget. The default is 1.
     *
     * @param budgetCost the number of tokens, finite and zero or more
     * @return this builder
     * @throws IllegalArgumentException if the value is negative or not finite
     */
    public RetrySettingsBuilder budgetCost(double budgetCost) {
        return set(Setting.BUDGET_COST, budgetCost);
    }

    /**
     * Sets the retry budget. By default, no budget is set.
     *
     * @param name {@code default} or the name of a budget in {@code retryon.budgets}
     * @return this builder
     */
    public RetrySettingsBuilder budget(String name) {
        return set(Setting.BUDGET, name);
    }

    /**
     * Sets the key that divides the budget. By default, the budget is not divided.
     *
     * @param expression a SpEL expression over the arguments
     * @return this builder
     * @see RetryOn#budgetKey()
     */
    public RetrySettingsBuilder budgetKey(String expression) {
        return set(Setting.BUDGET_KEY, expression);
    }

    /**
     * Sets a gate, which must be true for a failure to be retried.
     *
     * @param expression a SpEL expression
     * @return this builder
     */
    public RetrySettingsBuilder onlyIf(String expression) {
        return set(Setting.ONLY_IF, expression);
    }

    /**
     * Sets a gate, which must not be true for a failure to be retried.
     *
     * @param expression a SpEL expression
     * @return this builder
     */
    public RetrySettingsBuilder unless(String expression) {
        return set(Setting.UNLESS, expression);
    }

    /**
     * Sets the condition under which returned values count as failures.
     *
     * @param expression a SpEL expression over {@code #result}
     * @return this builder
     */
    public RetrySettingsBuilder retryIf(String expression) {
        return set(Setting.RETRY_IF, expression);
    }

    /**
     * Sets the recovery method, which is called instead of throwing the exception.
     *
     * @param method {@code method} or {@code bean#method}
     * @return this builder
     */
    public RetrySettingsBuilder recover(String method) {
        return set(Setting.RECOVER, method);
    }

    /**
     * Sets the method to call after each wait and before the next attempt.
     *
     * @param method {@code method} or {@code bean#method}
     * @return this builder
     */
    public RetrySettingsBuilder beforeRetry(String method) {
        return set(Setting.BEFORE_RETRY, method);
    }

    /**
     * Adds exceptions that the recovery method handles although they are not retried.
     *
     * @param types the types
     * @return this builder
     */
    @SafeVarargs
    public final RetrySettingsBuilder recoverOn(Class<? extends Throwable>... types) {
        return set(Setting.RECOVER_ON, new LinkedHashSet<>(Arrays.asList(types)));
    }

    /**
     * Sets a setting by its property name and value, for example {@code set("max-attempts", "5")}. This is the only
     * setter for settings that a module adds.
     *
     * @param property the name of the property in a block of settings
     * @param value the value of the property
     * @return this builder
     * @throws IllegalArgumentException if calls do not have this setting, or if the value is not allowed
     */
    public RetrySettingsBuilder set(String property, String value) {
        Setting<?> found = Setting.ofOperators().stream()
                .filter(setting -> setting.property().equals(property) && !setting.isOnlyForOperators())
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "'" + property + "' is not a setting of a call; use a name such as max-attempts"));
        values.read(found, value, problem -> {
            throw new IllegalArgumentException(problem);
        });
        return this;
    }

    private <T> RetrySettingsBuilder set(Setting<T> setting, T value) {
        values.set(setting, value);
        return this;
    }

    RetrySettings build() {
        return values.build();
    }
}
