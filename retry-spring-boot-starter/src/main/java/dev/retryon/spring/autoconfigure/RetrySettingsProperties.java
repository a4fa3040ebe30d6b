// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.internal.properties.SettingsBlock;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetrySettings;
import dev.retryon.spring.module.Setting;
import dev.retryon.spring.module.SettingSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * A block of settings in {@code application.yml}. A setting that is not set is inherited from weaker layers.
 *
 * @param exceptions Exceptions to retry, thrown directly or as a cause. These are added to the exceptions of other
 *     layers.
 * @param excludes Exceptions that are never retried, thrown directly or as a cause. These are added to the
 *     exceptions of other layers.
 * @param nonRetryableErrors Error codes that are never retried: an exact code, or a prefix that ends in "*", such
 *     as "auth.*". These are added to the codes of other layers.
 * @param errors Other settings for some errors, by exception class or error code in brackets, such as
 *     "[com.acme.ThrottledException].delay" or "[http.503].max-attempts".
 * @param maxAttempts Maximum number of attempts, including the first one, at least 1. 1 means no retry, and
 *     2147483647 means no limit.
 * @param retryable Whether to retry at all. The first attempt always runs.
 * @param backoff How delays grow: a built-in strategy, the name of a BackoffStrategy bean, or the name of a
 *     method of the bean.
 * @param delay Base delay, from 0 to 24h.
 * @param multiplier Factor of exponential backoff and exponent of polynomial backoff, at least 1.0.
 * @param maxDelay Maximum delay, from the base delay to 24h. The default is 5m, or the base delay if that is
 *     longer.
 * @param jitter How delays are spread at random: none, full, half, bounded, a percentage from 0% to 100%, or a
 *     duration to add, such as +3s.
 * @param timeout Time limit for all attempts and waits together. No retry starts after this limit. 0 means no
 *     limit.
 * @param attemptTimeout Time limit for one attempt. 0 means no limit.
 * @param budget Name of a retry budget: "default" or one of retryon.budgets. Methods that name the same budget
 *     share it. If the budget is set in retryon.defaults, each method gets a separate budget.
 * @param budgetKey SpEL expression over the arguments that divides the budget, such as "#tenant". Each value has
 *     its own tokens.
 * @param budgetCost Number of tokens that a retry takes from the budget, 0 or more. The default is 1.
 * @param onlyIf SpEL expression that must be true for a failure to be retried, such as "#error.message !=
 *     'closed'".
 * @param unless SpEL expression that must not be true for a failure to be retried, such as "#attempt > 2".
 * @param retryIf SpEL expression over #result, such as "#result == 'pending'". If the expression is true, the
 *     returned value is retried.
 * @param recover Recovery method, which is called instead of throwing the exception: "method" of the same bean, or
 *     "bean#method".
 * @param beforeRetry Method to call after each wait and before the next attempt: "method" of the same bean, or
 *     "bean#method".
 * @param recoverOn Exceptions that the recovery method handles although they are not retried. These are added to
 *     the exceptions of other layers.
 */
record RetrySettingsProperties(
        @DefaultValue List<String> exceptions,
        @DefaultValue List<String> excludes,
        @DefaultValue List<String> nonRetryableErrors,
        @DefaultValue Map<String, ErrorRuleProperties> errors,
        @Nullable Integer maxAttempts,
        @Nullable Boolean retryable,
        @Nullable String backoff,
        @Nullable Duration delay,
        @Nullable Double multiplier,
        @Nullable Duration maxDelay,
        @Nullable String jitter,
        @Nullable Duration timeout,
        @Nullable Duration attemptTimeout,
        @Nullable String budget,
        @Nullable String budgetKey,
        @Nullable Double budgetCost,
        @Nullable String onlyIf,
        @Nullable String unless,
        @Nullable String retryIf,
        @Nullable String recover,
        @Nullable String beforeRetry,
        @DefaultValue List<String> recoverOn)
        implements SettingsBlock {

    /** @param groups the settings in groups, as text, by setting */
    RetrySettings toLayer(SettingSource source, Map<Setting<?>, String> groups, RetryFaults faults) {
        PropertyReader layer = new PropertyReader(source, faults);
        layer.classes(Setting.EXCEPTIONS, exceptions);
        layer.classes(Setting.EXCLUDES, excludes);
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
        layer.read(Setting.RECOVER, recover);
        layer.read(Setting.BEFORE_RETRY, beforeRetry);
        layer.classes(Setting.RECOVER_ON, recoverOn);
        groups.forEach(layer::read);
        return layer.toLayer();
    }
}
