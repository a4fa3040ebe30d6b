// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.backoff.Backoff;
import dev.retryon.backoff.BackoffStrategy;
import dev.retryon.backoff.DurationText;
import dev.retryon.backoff.Jitter;
import dev.retryon.budget.RetryBudget;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Defines which failures are retried, how often and with which delays. A policy is immutable, and any number of calls
 * and threads can share it.
 *
 * <pre>{@code
 * RetryPolicy policy = RetryPolicy.builder()
 *     .retryOn(IOException.class)
 *     .maxAttempts(5)
 *     .delay(Duration.ofMillis(200))
 *     .timeout(Duration.ofSeconds(10))
 *     .build();
 * }</pre>
 *
 * <p>Defaults: {@code maxAttempts 3 · backoff exponential · delay 1s · multiplier 2.0 · maxDelay 5m · jitter 50% · no
 * exceptions · no timeouts · no budget}. A policy without exceptions retries no error except {@link
 * AttemptTimeoutException}.
 *
 * @since 0.1.0
 */
public final class RetryPolicy {

    /** The default maximum number of attempts: 3, which is one first attempt and up to two retries. */
    public static final int DEFAULT_MAX_ATTEMPTS = 3;

    /** The default base delay: one second. */
    public static final Duration DEFAULT_DELAY = Duration.ofSeconds(1);

    /** The default multiplier: 2.0. */
    public static final double DEFAULT_MULTIPLIER = 2.0;

    /** The default maximum delay: five minutes, or the base delay if that is longer. */
    public static final Duration DEFAULT_MAX_DELAY = Duration.ofMinutes(5);

    /** The default jitter: 50 %. */
    public static final Jitter DEFAULT_JITTER = Jitter.proportional(0.5);

    private final PolicySettings settings;

    private final PolicyDelays delays;

    private final FailureMatcher matcher;

    private final ErrorRules rules;

    /** @param settings the settings, which do not change later */
    RetryPolicy(PolicySettings settings) {
        this.settings = settings;
        this.delays = PolicyDelays.of(settings);
        this.matcher = new FailureMatcher(settings);
        this.rules = new ErrorRules(settings);
    }

    /** {@return a new builder with the defaults} */
    public static RetryPolicyBuilder builder() {
        return new RetryPolicyBuilder(new PolicySettings(), RetryPolicyBuilder.Use.POLICY);
    }

    /** {@return a new builder with the settings of this policy} */
    public RetryPolicyBuilder toBuilder() {
        return new RetryPolicyBuilder(settings.copy(), RetryPolicyBuilder.Use.CHANGE);
    }

    /**
     * {@return the exception types that are retried, as an immutable set in the order given; empty if no error is
     * retried} An error matches if it, or one of its causes, has a listed type.
     */
    public Set<Class<? extends Throwable>> exceptions() {
        return settings.exceptions;
    }

    /**
     * {@return the exception types that the recovery handles although they are not retried, as an immutable set in the
     * order given}
     */
    public Set<Class<? extends Throwable>> recoverOn() {
        return settings.recoverOn;
    }

    /**
     * {@return the exception types that are never retried, as an immutable set in the order given} They override
     * {@link #exceptions()}.
     */
    public Set<Class<? extends Throwable>> excludes() {
        return settings.excludes;
    }

    /** {@return the patterns of error codes that are never retried, as an immutable set in the order given} */
    public Set<String> nonRetryableErrors() {
        return settings.nonRetryableErrors;
    }

    /**
     * Returns the rules for individual errors. Each rule is represented by the policy that applies after a matching
     * failure.
     *
     * @return an immutable map, in the order in which the rules were added. A key is the name of an exception class or
     *     a pattern of error codes
     */
    public Map<String, RetryPolicy> errorRules() {
        return rules.byName();
    }

    /**
     * {@return the maximum number of attempts, including the first one: at least 1; {@link Integer#MAX_VALUE} means no
     * limit}
     */
    public int maxAttempts() {
        return settings.effectiveMaxAttempts();
    }

    /** {@return whether retries are enabled; if not, no failure is retried} */
    public boolean retryable() {
        return settings.retryable;
    }

    /** {@return the backoff strategy} */
    public BackoffStrategy backoff() {
        return delays.backoff();
    }

    /** {@return the base delay, zero or more} */
    public Duration delay() {
        return delays.base();
    }

    /** {@return the multiplier for backoff strategies that are selected by name, at least 1.0} */
    public double multiplier() {
        return settings.effectiveMultiplier();
    }

    /**
     * {@return the longest delay, at most 24 hours} This limit is applied after the backoff and again after the jitter.
     */
    public Duration maxDelay() {
        return delays.longest();
    }

    /** {@return the jitter} */
    public Jitter jitter() {
        return delays.jitter();
    }

    /** {@return the time limit for all attempts and delays together, or {@code null} if no limit applies} */
    public @Nullable Duration timeout() {
        return settings.timeout;
    }

    /** {@return the time limit for one attempt, or {@code null} if no limit applies} */
    public @Nullable Duration attemptTimeout() {
        return settings.attemptTimeout;
    }

    /** {@return the budget, which limits the retries of all calls that share it, or {@code null} if none is set} */
    public @Nullable RetryBudget budget() {
        return settings.budget;
    }

    /** {@return the number of tokens that a retry takes from the budget, zero or more} */
    public double budgetCost() {
        return settings.budgetCost != null ? settings.budgetCost : 1;
    }

    /** {@return the action for a call that has failed permanently} */
    public ExhaustionAction onExhaustion() {
        return settings.onExhaustion;
    }

    @Nullable Function<RetryContext, ? extends @Nullable Object> budgetKey() {
        return settings.budgetKey;
    }

    @Nullable BiPredicate<@Nullable Throwable, RetryContext> onlyIf() {
        return settings.onlyIf;
    }

    @Nullable BiPredicate<@Nullable Throwable, RetryContext> unless() {
        return settings.unless;
    }

    @Nullable BiPredicate<@Nullable Object, RetryContext> retryIf() {
        return settings.retryIf;
    }

    FailureMatcher matcher() {
        return matcher;
    }

    ErrorRules rules() {
        return rules;
    }

    /**
     * Returns the delay before a retry. The backoff is limited to the maximum delay, and so is the result of the
     * jitter. A backoff of zero means no delay or jitter. If the strategy throws an exception, for example because
     * it requires a running call, the base delay is used instead.
     *
     * @param retry the number of the retry, from 1: retry 1 follows attempt 1
     * @param previous the actual delay before the previous retry; {@code null} for retry 1
     * @param random the source of random numbers
     * @return a delay between zero and {@link #maxDelay()}
     * @throws IllegalArgumentException if the retry number is below 1
     */
    public Duration delay(int retry, @Nullable Duration previous, RandomGenerator random) {
        return delays.delay(retry, previous, random, failure -> {});
    }

    PolicyDelays delays() {
        return delays;
    }

    /**
     * {@return whether delays depend on the call; see {@link BackoffStrategy#dependsOnCall()}} If they do,
     * {@link #schedule} cannot list them.
     */
    public boolean dependsOnCall() {
        return delays.dependOnCall();
    }

    /**
     * Returns the shortest and the longest delay before each retry, for display. The longest delay of a retry assumes
     * that all earlier delays were also the longest, and the same applies to the shortest. If delays
     * {@linkplain #dependsOnCall() depend on the call}, each range is from zero to {@link #maxDelay()}. If the
     * policy has a custom strategy, this method calls it.
     *
     * @param retries the number of retries to list; at most {@code maxAttempts} − 1 are listed
     * @return one range for each retry, in order
     * @throws IllegalArgumentException if {@code retries} is negative
     */
    public List<DelayRange> schedule(int retries) {
        if (retries < 0) {
            throw new IllegalArgumentException("retries is '" + retries + "', but must not be negative");
        }
        return delays.ranges(settings.retryable ? Math.min(retries, maxAttempts() - 1) : 0);
    }

    /**
     * The bounds of one delay.
     *
     * @param shortest the shortest delay
     * @param longest the longest delay
     */
    public record DelayRange(Duration shortest, Duration longest) {

        @Override
        public String toString() {
            return DurationText.print(shortest) + (shortest.equals(longest) ? "" : "–" + DurationText.print(longest));
        }
    }

    /**
     * Returns the settings. Delays are listed only for built-in strategies, because this method does not call custom
     * code.
     */
    @Override
    public String toString() {
        return "RetryPolicy[maxAttempts=" + maxAttempts() + (retryable() ? "" : ", retryable=false") + ", exceptions="
                + names(exceptions()) + ", excludes=" + names(excludes()) + ", nonRetryableErrors="
                + nonRetryableErrors()
                + (errorRules().isEmpty() ? "" : ", errorRules=" + errorRules().keySet())
                + ", backoff=" + delays.backoffName() + ", delay=" + DurationText.print(delay())
                + ", maxDelay="
                + DurationText.print(maxDelay()) + ", jitter=" + jitter() + ", timeout=" + orNone(timeout())
                + ", attemptTimeout="
                + orNone(attemptTimeout()) + ", budget=" + orNone(budget())
                + (onExhaustion() == ExhaustionAction.RETHROW ? "" : ", onExhaustion=" + onExhaustion())
                + (backoff() instanceof Backoff ? ", waits=" + schedule(5) : "") + "]";
    }

    private static Object orNone(@Nullable Object setting) {
        return setting == null ? "none" : setting instanceof Duration time ? DurationText.print(time) : setting;
    }

    private static List<String> names(Set<Class<? extends Throwable>> types) {
        return types.stream().map(Class::getSimpleName).toList();
    }
}
