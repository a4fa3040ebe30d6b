// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.backoff.Backoff;
import dev.retryon.backoff.BackoffStrategy;
import dev.retryon.backoff.Jitter;
import dev.retryon.budget.RetryBudget;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link RetryPolicy}. Each method rejects invalid and contradictory values immediately. Not thread-safe.
 *
 * @see RetryPolicy#builder()
 *
 * @since 0.1.0
 */
public final class RetryPolicyBuilder {

    private final PolicySettings settings;

    private final Use use;

    enum Use {
        POLICY,

        /** For a copy of a policy. Both delays can be changed one after the other, because {@link #build} checks them. */
        CHANGE,

        /** For a rule, which can have only some of the settings. */
        RULE
    }

    RetryPolicyBuilder(PolicySettings settings, Use use) {
        this.settings = settings;
        this.use = use;
    }

    /**
     * Adds exception types to retry. An exception matches if it, or one of its causes, has one of these types. An
     * {@link Error} is retried only if an {@code Error} type is listed. By default, no exception is retried.
     *
     * @param types the types
     * @return this builder
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // only read
    public final RetryPolicyBuilder retryOn(Class<? extends Throwable>... types) {
        notInRule("retryOn");
        settings.exceptions = PolicySettings.plus(settings.exceptions, types);
        return this;
    }

    /**
     * Adds exception types that are never retried. An exception matches if it, or one of its causes, has one of these
     * types. Excludes override {@link #retryOn}. By default, no exception is excluded.
     *
     * @param types the types
     * @return this builder
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // only read
    public final RetryPolicyBuilder excludes(Class<? extends Throwable>... types) {
        notInRule("excludes");
        settings.excludes = PolicySettings.plus(settings.excludes, types);
        return this;
    }

    /**
     * Adds exception types that the recovery handles although they are not retried, because they are not
     * {@linkplain #retryOn listed} or are {@linkplain #excludes excluded}. Without a recovery, this setting has no
     * effect. By default, no types are set.
     *
     * @param types the types. An exception matches if it, or one of its causes, has one of these types. An
     *     {@code Error} matches only if an {@code Error} type is listed, and a {@link VirtualMachineError} never
     *     matches
     * @return this builder
     * @see Retry#callOrRecover
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // only read
    public final RetryPolicyBuilder recoverOn(Class<? extends Throwable>... types) {
        notInRule("recoverOn");
        settings.recoverOn = PolicySettings.plus(settings.recoverOn, types);
        return this;
    }

    /**
     * Adds a rule for errors of a type, which are retried as if they were {@linkplain #retryOn listed}. After a failure
     * with such an error, the rule overrides the settings of the policy. An exception matches if it, or one of its
     * causes, has the type.
     *
     * <p>If several rules match, the rule for the nearest error applies. A rule for the error itself therefore takes
     * precedence over a rule for its cause. For the same error, an exact code takes precedence over a type, and a type
     * over a prefix of codes. If several types match, the most specific one applies. A new rule replaces any earlier
     * rule for the same type.
     *
     * <p>Settings that the rule does not contain come from the policy. All attempts of the call are counted, whatever
     * their errors were. If the rule's {@code delay} is longer than the policy's {@code maxDelay}, it is also the
     * maximum delay of the rule.
     *
     * @param type the type; an {@link Error} matches only if this is an {@code Error} type
     * @param rule sets {@code maxAttempts}, {@code backoff}, {@code delay}, {@code multiplier}, {@code maxDelay},
     *     {@code jitter} or {@code budgetCost}
     * @return this builder
     * @throws IllegalArgumentException if the rule sets anything else
     */
    public RetryPolicyBuilder onError(Class<? extends Throwable> type, Consumer<RetryPolicyBuilder> rule) {
        notInRule("onError");
        settings.typeRules = PolicySettings.plus(settings.typeRules, type, rule(rule));
        return this;
    }

    /**
     * Adds a rule for errors with the given code. See {@link #onError}. An {@link Error} has no code.
     *
     * @param pattern an exact code, or a prefix followed by {@code *}; see {@link #nonRetryableErrors}
     * @param rule sets the settings of the rule
     * @return this builder
     * @throws IllegalArgumentException if the pattern is blank, or if the rule contains a setting that is not allowed
     *     in rules
     */
    public RetryPolicyBuilder onErrorCode(String pattern, Consumer<RetryPolicyBuilder> rule) {
        notInRule("onErrorCode");
        if (pattern.isBlank()) {
            throw new IllegalArgumentException(
                    "the code of a rule is blank; use an exact code such as \"http.503\" or a prefix such as \"sql.08*\"");
        }
        settings.codeRules = PolicySettings.plus(settings.codeRules, pattern, rule(rule));
        return this;
    }

    private static PolicySettings rule(Consumer<RetryPolicyBuilder> rule) {
        PolicySettings settings = new PolicySettings();
        rule.accept(new RetryPolicyBuilder(settings, Use.RULE));
        return settings.copy();
    }

    private void notInRule(String setting) {
        if (use == Use.RULE) {
            throw new IllegalArgumentException("a rule sets " + setting
                    + ", but a rule can only set maxAttempts, backoff,"
                    + " delay, multiplier, maxDelay, jitter and budgetCost; set " + setting + " for the policy");
        }
    }

    /**
     * Adds patterns of error codes that are never retried. A pattern is an exact code, or a prefix followed by {@code
     * *}. For example, {@code auth.*} matches {@code auth.token_expired}, but neither {@code auth} nor {@code
     * authx.y}. Patterns are case-sensitive.
     *
     * @param patterns the patterns, which must not be blank
     * @return this builder
     * @throws IllegalArgumentException if a pattern is blank
     */
    public RetryPolicyBuilder nonRetryableErrors(String... patterns) {
        notInRule("nonRetryableErrors");
        for (String pattern : patterns) {
            if (pattern.isBlank()) {
                throw new IllegalArgumentException(
                        "nonRetryableErrors contains a blank pattern; use an exact code or a prefix such as \"auth.*\"");
            }
        }
        settings.nonRetryableErrors = PolicySettings.plus(settings.nonRetryableErrors, patterns);
        return this;
    }

    /**
     * Sets the maximum number of attempts, including the first one. The default is 3.
     *
     * @param maxAttempts the maximum; 1 or 0 means no retry, and {@link Integer#MAX_VALUE} means no limit
     * @return this builder
     * @throws IllegalArgumentException if the number is negative
     */
    public RetryPolicyBuilder maxAttempts(int maxAttempts) {
        if (maxAttempts < 0) {
            throw new IllegalArgumentException(
                    "maxAttempts is '" + maxAttempts + "', but must be at least 1 (which means no retry)");
        }
        settings.maxAttempts = Math.max(1, maxAttempts);
        return this;
    }

    /**
     * Sets whether retries are enabled. The default is {@code true}.
     *
     * @param retryable {@code false} to disable retries. The first attempt runs in any case
     * @return this builder
     */
    public RetryPolicyBuilder retryable(boolean retryable) {
        notInRule("retryable");
        settings.retryable = retryable;
        return this;
    }

    /**
     * Sets the backoff strategy, which defines how delays grow. The default is exponential with the {@linkplain
     * #multiplier multiplier}.
     *
     * @param backoff the strategy. The multiplier of this builder does not apply to it
     * @return this builder
     */
    public RetryPolicyBuilder backoff(BackoffStrategy backoff) {
        settings.backoff = Objects.requireNonNull(backoff, "backoff");
        return this;
    }

    /**
     * Selects a {@linkplain Backoff built-in backoff strategy} by its name.
     *
     * @param name {@code none}, {@code fixed}, {@code linear}, {@code exponential}, {@code polynomial}, {@code
     *     fibonacci} or {@code decorrelated}
     * @return this builder
     * @throws IllegalArgumentException if no strategy has this name
     */
    public RetryPolicyBuilder backoff(String name) {
        Backoff.named(name, settings.effectiveMultiplier());
        settings.backoff = null;
        settings.backoffName = name;
        return this;
    }

    /**
     * Sets the base delay. The default is one second.
     *
     * @param delay the base delay, zero or more
     * @return this builder
     * @throws IllegalArgumentException if the delay is negative, or longer than a {@code maxDelay} that was set before
     */
    public RetryPolicyBuilder delay(Duration delay) {
        settings.delay = PolicySettings.notNegative("delay", delay);
        return checked();
    }

    /**
     * Sets the multiplier of exponential backoff and the exponent of polynomial backoff. The multiplier applies only if
     * the strategy is selected by name. The default is 2.0.
     *
     * @param multiplier the multiplier or exponent, finite and at least 1.0
     * @return this builder
     * @throws IllegalArgumentException if the multiplier is below 1 or not finite
     */
    public RetryPolicyBuilder multiplier(double multiplier) {
        settings.multiplier = Backoff.requireMultiplier(multiplier);
        return this;
    }

    /**
     * Sets the longest delay. The default is five minutes, or the base delay if that is longer.
     *
     * @param maxDelay the maximum delay, zero or more; values above 24 hours are reduced to 24 hours
     * @return this builder
     * @throws IllegalArgumentException if the delay is negative, or shorter than a {@code delay} that was set before
     */
    public RetryPolicyBuilder maxDelay(Duration maxDelay) {
        settings.maxDelay = PolicySettings.notNegative("maxDelay", maxDelay);
        return checked();
    }

    /**
     * Sets the jitter, which spreads delays at random. The default is 50 %.
     *
     * @param jitter the jitter
     * @return this builder
     */
    public RetryPolicyBuilder jitter(Jitter jitter) {
        settings.jitter = Objects.requireNonNull(jitter, "jitter");
        return this;
    }

    /**
     * Sets the time limit for all attempts and delays together. A retry that would start after the limit does not run.
     * A running attempt is not interrupted; for that, use {@link #attemptTimeout}. By default, no limit applies.
     *
     * @param timeout the time limit; zero means no limit
     * @return this builder
     * @throws IllegalArgumentException if the limit is negative
     */
    public RetryPolicyBuilder timeout(Duration timeout) {
        notInRule("timeout");
        settings.timeout = PolicySettings.notNegative("timeout", timeout).isZero() ? null : timeout;
        return this;
    }

    /**
     * Sets the time limit for one attempt. An attempt that exceeds the limit fails with
     * {@link AttemptTimeoutException}, which is retried unless it is excluded. The thread of a blocking attempt is
     * interrupted. If the code ignores the interrupt, the attempt continues, and fails when it returns. The stage of an
     * asynchronous attempt is cancelled. By default, no limit applies.
     *
     * @param attemptTimeout the time limit; zero means no limit
     * @return this builder
     * @throws IllegalArgumentException if the limit is negative
     */
    public RetryPolicyBuilder attemptTimeout(Duration attemptTimeout) {
        notInRule("attemptTimeout");
        settings.attemptTimeout =
                PolicySettings.notNegative("attemptTimeout", attemptTimeout).isZero() ? null : attemptTimeout;
        return this;
    }

    /**
     * Sets the budget, which limits the retries of all calls that share it. By default, no budget is set.
     *
     * @param budget the budget
     * @return this builder
     */
    public RetryPolicyBuilder budget(RetryBudget budget) {
        notInRule("budget");
        settings.budget = Objects.requireNonNull(budget, "budget");
        settings.budgetKey = null;
        return this;
    }

    /**
     * Sets a budget that is divided by a key, such as the tenant. Each key has its own tokens; see
     * {@link RetryBudget#forKey}.
     *
     * @param budget the budget
     * @param key returns the key of a call. The function runs before the first attempt and before each retry. If the
     *     key is {@code null} or the function throws an exception, the call uses the undivided budget
     * @return this builder
     */
    public RetryPolicyBuilder budget(RetryBudget budget, Function<RetryContext, ? extends @Nullable Object> key) {
        notInRule("budget");
        settings.budget = Objects.requireNonNull(budget, "budget");
        settings.budgetKey = Objects.requireNonNull(key, "key");
        return this;
    }

    /**
     * Sets the number of tokens that a retry takes from the budget. Without a budget, this setting has no effect. The
     * default is 1.
     *
     * @param budgetCost the number of tokens, finite and zero or more; 0 means that retries need no token
     * @return this builder
     * @throws IllegalArgumentException if the cost is negative or not finite
     */
    public RetryPolicyBuilder budgetCost(double budgetCost) {
        settings.budgetCost = PolicySettings.notNegative("budgetCost", budgetCost);
        return this;
    }

    /**
     * Sets the action for a call that has failed permanently. The default is {@link ExhaustionAction#RETHROW}.
     *
     * @param onExhaustion the action
     * @return this builder
     */
    public RetryPolicyBuilder onExhaustion(ExhaustionAction onExhaustion) {
        notInRule("onExhaustion");
        settings.onExhaustion = Objects.requireNonNull(onExhaustion, "onExhaustion");
        return this;
    }

    /**
     * Sets a gate: a failure is retried only if the gate returns {@code true}. The gate runs after the deciders and
     * before the delay. If the gate throws an exception, the call is not retried, and that exception is suppressed in
     * the error of the attempt.
     *
     * @param gate receives the unwrapped error ({@code null} if the attempt returned a value to retry) and the context
     *     of the call
     * @return this builder
     */
    public RetryPolicyBuilder onlyIf(BiPredicate<@Nullable Throwable, RetryContext> gate) {
        notInRule("onlyIf");
        settings.onlyIf = Objects.requireNonNull(gate, "gate");
        return this;
    }

    /**
     * Sets a gate: a failure is not retried if the gate returns {@code true}. The gate runs after {@link #onlyIf}.
     *
     * @param gate receives the unwrapped error ({@code null} if the attempt returned a value to retry) and the context
     *     of the call
     * @return this builder
     */
    public RetryPolicyBuilder unless(BiPredicate<@Nullable Throwable, RetryContext> gate) {
        notInRule("unless");
        settings.unless = Objects.requireNonNull(gate, "gate");
        return this;
    }

    /**
     * Sets which returned values are retried. If the attempts are used up, the caller receives the last value. If the
     * predicate throws an exception, the value is not retried, and the exception is logged.
     *
     * @param predicate receives the value and the context of the call
     * @return this builder
     */
    public RetryPolicyBuilder retryIf(BiPredicate<@Nullable Object, RetryContext> predicate) {
        notInRule("retryIf");
        settings.retryIf = Objects.requireNonNull(predicate, "predicate");
        return this;
    }

    /**
     * Builds a policy with the current settings.
     *
     * @return the policy
     * @throws IllegalArgumentException if {@code maxDelay} is below {@code delay} and both were set
     */
    public RetryPolicy build() {
        settings.checkDelays();
        return new RetryPolicy(settings.copy());
    }

    private RetryPolicyBuilder checked() {
        if (use != Use.CHANGE) {
            settings.checkDelays();
        }
        return this;
    }
}
