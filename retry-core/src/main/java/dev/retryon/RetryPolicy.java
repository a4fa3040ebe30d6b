/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import dev.retryon.backoff.Backoff;
import dev.retryon.backoff.BackoffStrategy;
import dev.retryon.backoff.Jitter;
import dev.retryon.budget.RetryBudget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
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

    /** Attempts if nothing is said: 3, that is one run and up to two retries. */
    public static final int DEFAULT_MAX_ATTEMPTS = 3;

    /** The base delay if nothing is said: one second. */
    public static final Duration DEFAULT_DELAY = Duration.ofSeconds(1);

    /** The multiplier if nothing is said: 2.0. */
    public static final double DEFAULT_MULTIPLIER = 2.0;

    /** The longest delay if nothing is said: five minutes, or the base delay if that is longer. */
    public static final Duration DEFAULT_MAX_DELAY = Duration.ofMinutes(5);

    /** The jitter if nothing is said: 50 %. */
    public static final Jitter DEFAULT_JITTER = Jitter.proportional(0.5);

    private final Set<Class<? extends Throwable>> exceptions;

    private final Set<Class<? extends Throwable>> excludes;

    private final Set<Class<? extends Throwable>> recoverOn;

    private final Set<String> nonRetryableErrors;

    private final int maxAttempts;

    private final boolean retryable;

    private final BackoffStrategy backoff;

    private final Duration delay;

    private final double multiplier;

    private final Duration maxDelay;

    private final Jitter jitter;

    private final @Nullable Duration timeout;

    private final @Nullable Duration attemptTimeout;

    private final @Nullable RetryBudget budget;

    private final OnExhaustion onExhaustion;

    private final @Nullable BiPredicate<@Nullable Throwable, RetryContext> onlyIf;

    private final @Nullable BiPredicate<@Nullable Throwable, RetryContext> unless;

    private final @Nullable BiPredicate<@Nullable Object, RetryContext> retryIf;

    private final FailureMatcher matcher;

    private final boolean immediate;

    private final RetryPolicyBuilder origin;

    RetryPolicy(RetryPolicyBuilder builder) {
        this.origin = builder.copy();
        this.exceptions = Collections.unmodifiableSet(origin.exceptions);
        this.excludes = Collections.unmodifiableSet(origin.excludes);
        this.recoverOn = Collections.unmodifiableSet(origin.recoverOn);
        this.nonRetryableErrors = Collections.unmodifiableSet(origin.nonRetryableErrors);
        this.maxAttempts = builder.maxAttempts;
        this.retryable = builder.retryable;
        this.backoff = builder.resolveBackoff();
        this.delay = builder.delay;
        this.multiplier = builder.multiplier;
        this.maxDelay = builder.resolveMaxDelay();
        this.jitter = builder.jitter;
        this.timeout = builder.timeout;
        this.attemptTimeout = builder.attemptTimeout;
        this.budget = builder.budget;
        this.onExhaustion = builder.onExhaustion;
        this.onlyIf = builder.onlyIf;
        this.unless = builder.unless;
        this.retryIf = builder.retryIf;
        this.matcher = new FailureMatcher(exceptions, excludes, nonRetryableErrors, attemptTimeout != null);
        this.immediate = backoff == Backoff.none() || (delay.isZero() && backoff instanceof Backoff);
    }

    /**
     * Starts a policy from the defaults.
     *
     * @return a builder
     */
    public static RetryPolicyBuilder builder() {
        return new RetryPolicyBuilder();
    }

    /**
     * Starts a policy from this one.
     *
     * @return a builder with this policy's settings
     */
    public RetryPolicyBuilder toBuilder() {
        return origin.copy();
    }

    /**
     * The types that are retried, by themselves or as a cause.
     *
     * @return an immutable set in the order given; empty if no error is retried
     */
    public Set<Class<? extends Throwable>> exceptions() {
        return exceptions;
    }

    /**
     * The types that a recovery serves although they are not retried.
     *
     * @return an immutable set in the order given
     */
    public Set<Class<? extends Throwable>> recoverOn() {
        return recoverOn;
    }

    /**
     * The types that are never retried; they beat {@link #exceptions()}.
     *
     * @return an immutable set in the order given
     */
    public Set<Class<? extends Throwable>> excludes() {
        return excludes;
    }

    /**
     * The patterns of error codes that are never retried.
     *
     * @return an immutable set in the order given
     */
    public Set<String> nonRetryableErrors() {
        return nonRetryableErrors;
    }

    /**
     * How many attempts there are at most, the first one included.
     *
     * @return at least 1; {@link Integer#MAX_VALUE} means until stopped
     */
    public int maxAttempts() {
        return maxAttempts;
    }

    /**
     * Whether there are retries at all.
     *
     * @return {@code false} if every failure is final
     */
    public boolean retryable() {
        return retryable;
    }

    /**
     * How delays grow.
     *
     * @return the strategy
     */
    public BackoffStrategy backoff() {
        return backoff;
    }

    /**
     * The base delay.
     *
     * @return zero or more
     */
    public Duration delay() {
        return delay;
    }

    /**
     * The multiplier for strategies chosen by name.
     *
     * @return at least 1.0
     */
    public double multiplier() {
        return multiplier;
    }

    /**
     * The cap, applied after the backoff and again after the jitter.
     *
     * @return at most 24 hours
     */
    public Duration maxDelay() {
        return maxDelay;
    }

    /**
     * How delays are spread.
     *
     * @return the jitter
     */
    public Jitter jitter() {
        return jitter;
    }

    /**
     * The limit for all attempts and waits together.
     *
     * @return the time, or {@code null} if there is no limit
     */
    public @Nullable Duration timeout() {
        return timeout;
    }

    /**
     * The limit for one attempt.
     *
     * @return the time, or {@code null} if there is no limit
     */
    public @Nullable Duration attemptTimeout() {
        return attemptTimeout;
    }

    /**
     * What limits the retries of all calls that share it.
     *
     * @return the budget, or {@code null} if there is none
     */
    public @Nullable RetryBudget budget() {
        return budget;
    }

    /**
     * What becomes of a call that has failed for good.
     *
     * @return {@link OnExhaustion#RETHROW} or {@link OnExhaustion#DEAD_LETTER}
     */
    public OnExhaustion onExhaustion() {
        return onExhaustion;
    }

    @Nullable BiPredicate<@Nullable Throwable, RetryContext> onlyIf() {
        return onlyIf;
    }

    @Nullable BiPredicate<@Nullable Throwable, RetryContext> unless() {
        return unless;
    }

    @Nullable BiPredicate<@Nullable Object, RetryContext> retryIf() {
        return retryIf;
    }

    /** Whether a recovery serves an error that is not retried. */
    boolean recovers(Throwable error) {
        if (recoverOn.isEmpty() || error instanceof VirtualMachineError) {
            return false;
        }
        ErrorChain chain = ErrorChain.of(error);
        for (ErrorChain next = chain; next != null; next = next.cause()) {
            for (Class<? extends Throwable> type : recoverOn) {
                if (type.isInstance(next.error())
                        && (!(chain.error() instanceof Error) || Error.class.isAssignableFrom(type))) {
                    return true;
                }
            }
        }
        return false;
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
        return delay(retry, previous, random, null, fault -> {});
    }

    /**
     * The wait before a retry of a call.
     *
     * @param call the call; {@code null} if there is none
     * @param onFault takes what a strategy failed with, for which the base delay stands in
     */
    Duration delay(
            int retry,
            @Nullable Duration previous,
            RandomGenerator random,
            @Nullable RetryContext call,
            Consumer<Throwable> onFault) {
        if (retry < 1) {
            throw new IllegalArgumentException("retry is '" + retry + "', but must be at least 1");
        }
        if (immediate) {
            return Duration.ZERO;
        }
        Duration capped = cap(chosen(retry, previous, random, call, onFault));
        return capped.isZero() ? Duration.ZERO : cap(jitter.apply(capped, random));
    }

    /** What the strategy chooses, or the base delay. */
    private Duration chosen(
            int retry,
            @Nullable Duration previous,
            RandomGenerator random,
            @Nullable RetryContext call,
            Consumer<Throwable> onFault) {
        Throwable fault;
        try {
            Duration chosen = call != null && backoff instanceof CallBackoff ofCall
                    ? ofCall.delay(retry, delay, previous, call)
                    : backoff.delay(retry, delay, previous, random);
            if (chosen != null && !chosen.isNegative()) {
                return chosen;
            }
            fault = new IllegalStateException("backoff " + backoffName() + " returned " + chosen);
        } catch (Throwable ex) {
            fault = ex;
        }
        onFault.accept(fault);
        return delay;
    }

    /** The strategy as it may be printed: no code of the user's runs for that. */
    String backoffName() {
        return backoff instanceof Backoff
                ? backoff.toString()
                : backoff.getClass().getName();
    }

    private Duration cap(Duration duration) {
        return duration.compareTo(maxDelay) > 0 ? maxDelay : duration;
    }

    /**
     * Whether delays depend on the call, so that they can't be listed beforehand.
     *
     * @return {@code true} if the backoff is a {@link CallBackoff}
     * @since 0.1.0
     */
    public boolean dependsOnCall() {
        return backoff instanceof CallBackoff;
    }

    /**
     * The waits of this policy, for people to look at. Each longest wait supposes that the earlier ones were as long as can
     * be, each shortest one that they were as short as can be. Where the waits {@linkplain #dependsOnCall() depend on the
     * call}, each is anything from zero to {@link #maxDelay()}. A strategy of the user's is asked, but not with a call.
     *
     * @param retries for how many retries, not more than {@code maxAttempts} − 1 are listed
     * @return the shortest and the longest wait before retry 1, 2, …
     * @throws IllegalArgumentException if {@code retries} is negative
     */
    public List<DelayRange> schedule(int retries) {
        if (retries < 0) {
            throw new IllegalArgumentException("retries is '" + retries + "', but must not be negative");
        }
        int listed = retryable ? Math.min(retries, maxAttempts - 1) : 0;
        if (dependsOnCall()) {
            return Collections.nCopies(listed, new DelayRange(Duration.ZERO, maxDelay));
        }
        List<DelayRange> schedule = new ArrayList<>(listed);
        RandomGenerator lowest = () -> 0L;
        RandomGenerator highest = () -> -1L;
        Duration shortest = null;
        Duration longest = null;
        for (int retry = 1; retry <= listed; retry++) {
            shortest = cap(jitter.shortest(cap(chosen(retry, shortest, lowest, null, fault -> {}))));
            longest = cap(jitter.longest(cap(chosen(retry, longest, highest, null, fault -> {}))));
            schedule.add(new DelayRange(shortest, longest));
        }
        return Collections.unmodifiableList(schedule);
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
            return shortest.equals(longest) ? shortest.toString() : shortest + "–" + longest;
        }
    }

    /** Describes the policy; the waits are listed only for built-in strategies, because no code of the user's runs here. */
    @Override
    public String toString() {
        return "RetryPolicy[maxAttempts=" + maxAttempts + (retryable ? "" : ", retryable=false") + ", exceptions="
                + names(exceptions) + ", excludes=" + names(excludes) + ", nonRetryableErrors=" + nonRetryableErrors
                + ", backoff=" + backoffName() + ", delay=" + delay + ", maxDelay=" + maxDelay + ", jitter=" + jitter
                + ", timeout=" + orNone(timeout) + ", attemptTimeout=" + orNone(attemptTimeout) + ", budget="
                + orNone(budget) + (onExhaustion == OnExhaustion.RETHROW ? "" : ", onExhaustion=" + onExhaustion)
                + (backoff instanceof Backoff ? ", waits=" + schedule(5) : "") + "]";
    }

    private static Object orNone(@Nullable Object setting) {
        return setting == null ? "none" : setting;
    }

    private static List<String> names(Set<Class<? extends Throwable>> types) {
        return types.stream().map(Class::getSimpleName).toList();
    }
}
