// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.backoff.BackoffStrategy;
import dev.retryon.backoff.Jitter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Collects the settings of a rule for one kind of error. After a failure that matches the rule, they apply instead of
 * those of the policy. A setting that is not set is that of the policy. Not thread-safe.
 *
 * <pre>{@code
 * RetryPolicy policy = RetryPolicy.builder()
 *     .retryOn(IOException.class)
 *     .onError(ThrottledException.class, rule -> rule.delay(Duration.ofSeconds(2)).maxAttempts(8))
 *     .build();
 * }</pre>
 *
 * @see RetryPolicyBuilder#onError
 * @see RetryPolicyBuilder#onErrorCode
 * @since 0.1.0
 */
public final class ErrorRuleBuilder {

    private final List<Consumer<RetryPolicyBuilder>> changes = new ArrayList<>();

    private final PolicySettings settings = new PolicySettings();

    /** Takes each setting as well, so that a wrong one is refused at once. */
    private final RetryPolicyBuilder trial = new RetryPolicyBuilder(settings, false);

    ErrorRuleBuilder() {}

    /**
     * Sets the maximum number of attempts of a call whose latest failure matches. Attempts are counted over the whole
     * call, whatever their errors were.
     *
     * @param maxAttempts 1 for no retry (0 has the same meaning), {@link Integer#MAX_VALUE} for no limit
     * @return this builder
     * @throws IllegalArgumentException if negative
     */
    public ErrorRuleBuilder maxAttempts(int maxAttempts) {
        return set(policy -> policy.maxAttempts(maxAttempts));
    }

    /**
     * Sets the backoff strategy.
     *
     * @param backoff the strategy
     * @return this builder
     */
    public ErrorRuleBuilder backoff(BackoffStrategy backoff) {
        return set(policy -> policy.backoff(backoff));
    }

    /**
     * Sets the backoff strategy by the name of a built-in one.
     *
     * @param name the name, see {@link RetryPolicyBuilder#backoff(String)}
     * @return this builder
     * @throws IllegalArgumentException if there is no such strategy
     */
    public ErrorRuleBuilder backoff(String name) {
        return set(policy -> policy.backoff(name));
    }

    /**
     * Sets the base delay. If it is longer than the policy's {@code maxDelay} and the rule sets no other, it is the
     * longest delay too.
     *
     * @param delay zero or more
     * @return this builder
     * @throws IllegalArgumentException if negative, or above a {@code maxDelay} of this rule
     */
    public ErrorRuleBuilder delay(Duration delay) {
        return set(policy -> policy.delay(delay));
    }

    /**
     * Sets the multiplier of a backoff strategy that is chosen by name.
     *
     * @param multiplier finite and at least 1.0
     * @return this builder
     * @throws IllegalArgumentException if below 1 or not finite
     */
    public ErrorRuleBuilder multiplier(double multiplier) {
        return set(policy -> policy.multiplier(multiplier));
    }

    /**
     * Sets the longest delay.
     *
     * @param maxDelay zero or more; longer values are reduced to 24 hours
     * @return this builder
     * @throws IllegalArgumentException if negative, or below a {@code delay} of this rule
     */
    public ErrorRuleBuilder maxDelay(Duration maxDelay) {
        return set(policy -> policy.maxDelay(maxDelay));
    }

    /**
     * Sets the jitter.
     *
     * @param jitter the jitter
     * @return this builder
     */
    public ErrorRuleBuilder jitter(Jitter jitter) {
        return set(policy -> policy.jitter(jitter));
    }

    /**
     * Sets how many tokens of the policy's budget a retry takes.
     *
     * @param budgetCost finite, zero or more
     * @return this builder
     * @throws IllegalArgumentException if negative or not finite
     */
    public ErrorRuleBuilder budgetCost(double budgetCost) {
        return set(policy -> policy.budgetCost(budgetCost));
    }

    private ErrorRuleBuilder set(Consumer<RetryPolicyBuilder> change) {
        change.accept(trial);
        changes.add(change);
        return this;
    }

    Rule build() {
        return new Rule(List.copyOf(changes), settings.delay != null);
    }

    /** The settings of a rule. */
    record Rule(List<Consumer<RetryPolicyBuilder>> changes, boolean hasDelay) {

        /** The policy that applies after a failure that matches. */
        RetryPolicy over(PolicySettings policy) {
            PolicySettings settings = policy.copy();
            settings.typeRules = Map.of();
            settings.codeRules = Map.of();
            RetryPolicyBuilder builder = new RetryPolicyBuilder(settings, true);
            changes.forEach(change -> change.accept(builder));
            if (settings.delay != null && settings.maxDelay != null) {
                if (hasDelay) {
                    settings.maxDelay = DurationMath.longer(settings.maxDelay, settings.delay);
                } else {
                    settings.delay = DurationMath.shorter(settings.maxDelay, settings.delay);
                }
            }
            return new RetryPolicy(settings);
        }
    }
}
