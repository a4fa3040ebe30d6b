/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import dev.retryon.backoff.Backoff;
import dev.retryon.backoff.BackoffStrategy;
import dev.retryon.backoff.DurationText;
import dev.retryon.backoff.Jitter;
import dev.retryon.budget.RetryBudget;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Which failures are retried, how often and how long apart. Immutable; one policy serves any number of calls and
 * threads.
 *
 * <p>Defaults: {@code maxAttempts 3 · backoff exponential · delay 1s · multiplier 2.0 · maxDelay 5m · jitter 50% · no
 * exceptions · no timeouts · no budget}. A policy without exceptions retries no error but its own {@link
 * AttemptTimeoutException}.
 *
 * @since 0.1.0
 */
public final class RetryPolicy {

    /** The default number of attempts: 3, the first one and up to two retries. */
    public static final int DEFAULT_MAX_ATTEMPTS = 3;

    /** The default base delay: one second. */
    public static final Duration DEFAULT_DELAY = Duration.ofSeconds(1);

    /** The default multiplier: 2.0. */
    public static final double DEFAULT_MULTIPLIER = 2.0;

    /** The default cap on delays: five minutes, or the base delay if that is longer. */
    public static final Duration DEFAULT_MAX_DELAY = Duration.ofMinutes(5);

    /** The default jitter: 50 %. */
    public static final Jitter DEFAULT_JITTER = Jitter.proportional(0.5);

    private final PolicySettings settings;

    private final PolicyDelays delays;

    private final FailureMatcher matcher;

    /**
     * Creates a policy.
     *
     * @param settings the settings, which do not change afterwards
     */
    RetryPolicy(PolicySettings settings) {
        this.settings = settings;
        this.delays = new PolicyDelays(settings);
        this.matcher = new FailureMatcher(settings);
    }

    /**
     * Starts a policy from the defaults.
     *
     * @return a builder
     */
    public static RetryPolicyBuilder builder() {
        return new RetryPolicyBuilder(new PolicySettings(), false);
    }

    /**
     * Starts a policy from this one.
     *
     * @return a builder with this policy's settings
     */
    public RetryPolicyBuilder toBuilder() {
        return new RetryPolicyBuilder(settings.copy(), true);
    }

    /**
     * The types that are retried, by themselves or as a cause.
     *
     * @return an immutable set in the order given; empty if no error is retried
     */
    public Set<Class<? extends Throwable>> exceptions() {
        return settings.exceptions;
    }

    /**
     * The types that a recovery serves although they are not retried.
     *
     * @return an immutable set in the order given
     */
    public Set<Class<? extends Throwable>> recoverOn() {
        return settings.recoverOn;
    }

    /**
     * The types that are never retried; they beat {@link #exceptions()}.
     *
     * @return an immutable set in the order given
     */
    public Set<Class<? extends Throwable>> excludes() {
        return settings.excludes;
    }

    /**
     * The patterns of error codes that are never retried.
     *
     * @return an immutable set in the order given
     */
    public Set<String> nonRetryableErrors() {
        return settings.nonRetryableErrors;
    }

    /**
     * How many attempts there are at most, the first one included.
     *
     * @return at least 1; {@link Integer#MAX_VALUE} means until stopped
     */
    public int maxAttempts() {
        return settings.maxAttempts;
    }

    /**
     * Whether there are retries at all.
     *
     * @return {@code false} if every failure is final
     */
    public boolean retryable() {
        return settings.retryable;
    }

    /**
     * How delays grow.
     *
     * @return the strategy
     */
    public BackoffStrategy backoff() {
        return delays.backoff();
    }

    /**
     * The base delay.
     *
     * @return zero or more
     */
    public Duration delay() {
        return delays.base();
    }

    /**
     * The multiplier for strategies chosen by name.
     *
     * @return at least 1.0
     */
    public double multiplier() {
        return settings.multiplier;
    }

    /**
     * The cap, applied after the backoff and again after the jitter.
     *
     * @return at most 24 hours
     */
    public Duration maxDelay() {
        return delays.longest();
    }

    /**
     * How delays are spread.
     *
     * @return the jitter
     */
    public Jitter jitter() {
        return settings.jitter;
    }

    /**
     * The limit for all attempts and waits together.
     *
     * @return the time, or {@code null} if there is no limit
     */
    public @Nullable Duration timeout() {
        return settings.timeout;
    }

    /**
     * The limit for one attempt.
     *
     * @return the time, or {@code null} if there is no limit
     */
    public @Nullable Duration attemptTimeout() {
        return settings.attemptTimeout;
    }

    /**
     * What limits the retries of all calls that share it.
     *
     * @return the budget, or {@code null} if there is none
     */
    public @Nullable RetryBudget budget() {
        return settings.budget;
    }

    /**
     * What becomes of a call that has failed for good.
     *
     * @return {@link OnExhaustion#RETHROW} or {@link OnExhaustion#DEAD_LETTER}
     */
    public OnExhaustion onExhaustion() {
        return settings.onExhaustion;
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

    /**
     * The wait before a retry: backoff, then cap, then jitter, then cap again. A backoff of zero means at once, without
     * jitter. If the strategy fails, the base delay is used instead; it is also used for a {@link CallBackoff}, because
     * there is no call.
     *
     * @param retry the retry's number, from 1: retry 1 follows attempt 1
     * @param previous what was really waited before the previous retry, {@code null} before retry 1
     * @param random the source of chance
     * @return a delay between zero and {@link #maxDelay()}
     * @throws IllegalArgumentException if the retry number is below 1
     */
    public Duration delay(int retry, @Nullable Duration previous, RandomGenerator random) {
        return delays.delay(retry, previous, random, null, fault -> {});
    }

    PolicyDelays delays() {
        return delays;
    }

    /**
     * Whether delays depend on the call, so that they can't be listed beforehand.
     *
     * @return {@code true} if the backoff is a {@link CallBackoff}
     * @since 0.1.0
     */
    public boolean dependsOnCall() {
        return delays.dependOnCall();
    }

    /**
     * The waits of this policy, for people to look at. The longest wait of a retry follows from the longest waits before
     * it, the shortest one from the shortest waits. Where the waits {@linkplain #dependsOnCall() depend on the
     * call}, each is anything from zero to {@link #maxDelay()}. A custom strategy is asked for its delays, without a call.
     *
     * @param retries for how many retries, not more than {@code maxAttempts} − 1 are listed
     * @return the shortest and the longest wait before retry 1, 2, …
     * @throws IllegalArgumentException if {@code retries} is negative
     */
    public List<DelayRange> schedule(int retries) {
        if (retries < 0) {
            throw new IllegalArgumentException("retries is '" + retries + "', but must not be negative");
        }
        return delays.ranges(settings.retryable ? Math.min(retries, settings.maxAttempts - 1) : 0);
    }

    /**
     * The bounds of one wait.
     *
     * @param shortest the shortest wait
     * @param longest the longest wait
     */
    public record DelayRange(Duration shortest, Duration longest) {

        @Override
        public String toString() {
            return DurationText.print(shortest) + (shortest.equals(longest) ? "" : "–" + DurationText.print(longest));
        }
    }

    /** Describes the policy; the waits are listed only for built-in strategies, because this runs no code of users. */
    @Override
    public String toString() {
        return "RetryPolicy[maxAttempts=" + maxAttempts() + (retryable() ? "" : ", retryable=false") + ", exceptions="
                + names(exceptions()) + ", excludes=" + names(excludes()) + ", nonRetryableErrors="
                + nonRetryableErrors() + ", backoff=" + delays.backoffName() + ", delay=" + DurationText.print(delay())
                + ", maxDelay="
                + DurationText.print(maxDelay()) + ", jitter=" + jitter() + ", timeout=" + orNone(timeout())
                + ", attemptTimeout="
                + orNone(attemptTimeout()) + ", budget=" + orNone(budget())
                + (onExhaustion() == OnExhaustion.RETHROW ? "" : ", onExhaustion=" + onExhaustion())
                + (backoff() instanceof Backoff ? ", waits=" + schedule(5) : "") + "]";
    }

    private static Object orNone(@Nullable Object setting) {
        return setting == null ? "none" : setting instanceof Duration time ? DurationText.print(time) : setting;
    }

    private static List<String> names(Set<Class<? extends Throwable>> types) {
        return types.stream().map(Class::getSimpleName).toList();
    }
}
