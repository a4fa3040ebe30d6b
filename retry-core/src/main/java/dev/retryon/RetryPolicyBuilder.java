/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import dev.retryon.backoff.Backoff;
import dev.retryon.backoff.BackoffRegistry;
import dev.retryon.backoff.BackoffStrategy;
import dev.retryon.backoff.DurationText;
import dev.retryon.backoff.Jitter;
import dev.retryon.budget.RetryBudget;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link RetryPolicy}. Each setter rejects a bad value at once, and what contradicts. Not thread-safe.
 *
 * @since 0.1.0
 */
public final class RetryPolicyBuilder {

    private final PolicySettings settings;

    /** Someone who changes both delays of an existing policy may contradict the old ones on the way to the new ones. */
    private final boolean copied;

    /**
     * Creates a builder.
     *
     * @param settings what it changes
     * @param copied whether they come from a policy
     */
    RetryPolicyBuilder(PolicySettings settings, boolean copied) {
        this.settings = settings;
        this.copied = copied;
    }

    /**
     * Adds types to retry, by themselves or as a cause. Errors are retried only if an {@code Error} type is listed.
     *
     * @param types the types
     * @return this builder
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // only read
    public final RetryPolicyBuilder retryOn(Class<? extends Throwable>... types) {
        return retryOn(Arrays.asList(types));
    }

    /**
     * Adds types to retry.
     *
     * @param types the types
     * @return this builder
     */
    public RetryPolicyBuilder retryOn(Iterable<Class<? extends Throwable>> types) {
        for (Class<? extends Throwable> type : types) {
            settings.exceptions = PolicySettings.plus(settings.exceptions, Objects.requireNonNull(type, "type"));
        }
        return this;
    }

    /**
     * Adds types never to retry, by themselves or as a cause; they beat {@link #retryOn}.
     *
     * @param types the types
     * @return this builder
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // only read
    public final RetryPolicyBuilder exclude(Class<? extends Throwable>... types) {
        return exclude(Arrays.asList(types));
    }

    /**
     * Adds types never to retry.
     *
     * @param types the types
     * @return this builder
     */
    public RetryPolicyBuilder exclude(Iterable<Class<? extends Throwable>> types) {
        for (Class<? extends Throwable> type : types) {
            settings.excludes = PolicySettings.plus(settings.excludes, Objects.requireNonNull(type, "type"));
        }
        return this;
    }

    /**
     * Adds error types that a recovery serves although they are not retried: those that are not {@linkplain #retryOn listed}
     * or are {@linkplain #exclude excluded}. Without a recovery it has no effect. Default none.
     *
     * @param types the types; an error has one of them itself or as a cause. An {@code Error} is served only if an {@code
     *     Error} type is among them, a {@link VirtualMachineError} never
     * @return this builder
     * @see RetryBuilder#recovery
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // only read
    public final RetryPolicyBuilder recoverOn(Class<? extends Throwable>... types) {
        return recoverOn(Arrays.asList(types));
    }

    /**
     * Adds error types that a recovery serves although they are not retried.
     *
     * @param types the types
     * @return this builder
     */
    public RetryPolicyBuilder recoverOn(Iterable<Class<? extends Throwable>> types) {
        for (Class<? extends Throwable> type : types) {
            settings.recoverOn = PolicySettings.plus(settings.recoverOn, Objects.requireNonNull(type, "type"));
        }
        return this;
    }

    /**
     * Adds patterns of error codes never to retry: an exact code, or a prefix and {@code .*}. {@code auth.*} matches
     * {@code auth.token_expired}, but neither {@code auth} nor {@code authx.y}. Case counts.
     *
     * @param patterns the patterns, none blank
     * @return this builder
     * @throws IllegalArgumentException if a pattern is blank
     */
    public RetryPolicyBuilder nonRetryableErrors(String... patterns) {
        for (String pattern : patterns) {
            if (pattern.isBlank()) {
                throw new IllegalArgumentException("nonRetryableErrors has a blank pattern");
            }
            settings.nonRetryableErrors = PolicySettings.plus(settings.nonRetryableErrors, pattern);
        }
        return this;
    }

    /**
     * How many attempts there are at most, the first one included. Default 3.
     *
     * @param maxAttempts 1 for no retry (0 counts as 1), {@link Integer#MAX_VALUE} for until stopped
     * @return this builder
     * @throws IllegalArgumentException if negative
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
     * Whether there are retries at all. Default {@code true}.
     *
     * @param retryable {@code false} to make every failure final; the first attempt is made in any case
     * @return this builder
     */
    public RetryPolicyBuilder retryable(boolean retryable) {
        settings.retryable = retryable;
        return this;
    }

    /**
     * How delays grow. Default exponential with the {@linkplain #multiplier multiplier}.
     *
     * @param backoff the strategy; the multiplier of this builder is for strategies chosen by name and does not reach it
     * @return this builder
     */
    public RetryPolicyBuilder backoff(BackoffStrategy backoff) {
        settings.backoff = Objects.requireNonNull(backoff, "backoff");
        return this;
    }

    /**
     * How delays grow, by the name of a built-in strategy.
     *
     * @param name none, fixed, linear, exponential, polynomial, fibonacci or decorrelated
     * @return this builder
     * @throws IllegalArgumentException if there is no such strategy
     */
    public RetryPolicyBuilder backoff(String name) {
        return backoff(name, new BackoffRegistry());
    }

    /**
     * How delays grow, by a name in a registry.
     *
     * @param name the name
     * @param registry where to find it
     * @return this builder
     * @throws IllegalArgumentException if there is no such strategy
     */
    public RetryPolicyBuilder backoff(String name, BackoffRegistry registry) {
        if (registry.find(name, settings.multiplier) == null) {
            throw new IllegalArgumentException("backoff is '" + name + "', but must be one of " + registry.names());
        }
        settings.backoff = null;
        settings.backoffName = name;
        settings.registry = registry;
        return this;
    }

    /**
     * The base delay. Default one second.
     *
     * @param delay zero or more
     * @return this builder
     * @throws IllegalArgumentException if negative, or above a {@code maxDelay} set before
     */
    public RetryPolicyBuilder delay(Duration delay) {
        settings.delay = notNegative("delay", delay);
        return checked();
    }

    /**
     * The multiplier of exponential and the exponent of polynomial backoff, if chosen by name. Default 2.0.
     *
     * @param multiplier finite and at least 1.0
     * @return this builder
     * @throws IllegalArgumentException if below 1 or not finite
     */
    public RetryPolicyBuilder multiplier(double multiplier) {
        settings.multiplier = Backoff.requireMultiplier(multiplier);
        return this;
    }

    /**
     * The cap on every delay. Default five minutes, or the base delay if that is longer.
     *
     * @param maxDelay zero or more; above 24 hours it counts as 24 hours
     * @return this builder
     * @throws IllegalArgumentException if negative, or below a {@code delay} set before
     */
    public RetryPolicyBuilder maxDelay(Duration maxDelay) {
        settings.maxDelay = notNegative("maxDelay", maxDelay);
        return checked();
    }

    /**
     * How delays are spread. Default 50 %.
     *
     * @param jitter the jitter
     * @return this builder
     */
    public RetryPolicyBuilder jitter(Jitter jitter) {
        settings.jitter = Objects.requireNonNull(jitter, "jitter");
        return this;
    }

    /**
     * The limit for all attempts and waits together: a retry that would start after it is not made. A running attempt is
     * not cut short; {@link #attemptTimeout} does that. Default none.
     *
     * @param timeout the limit; zero is none
     * @return this builder
     * @throws IllegalArgumentException if negative
     */
    public RetryPolicyBuilder timeout(Duration timeout) {
        settings.timeout = notNegative("timeout", timeout).isZero() ? null : timeout;
        return this;
    }

    /**
     * The limit for one attempt, which then fails with {@link AttemptTimeoutException}: retried though not listed, unless
     * excluded. A blocking attempt has its thread interrupted; code that ignores that runs on, and fails at its end even if
     * it returns a value. The stage of an asynchronous attempt is cancelled. Default none.
     *
     * @param attemptTimeout the limit; zero is none
     * @return this builder
     * @throws IllegalArgumentException if negative
     */
    public RetryPolicyBuilder attemptTimeout(Duration attemptTimeout) {
        settings.attemptTimeout = notNegative("attemptTimeout", attemptTimeout).isZero() ? null : attemptTimeout;
        return this;
    }

    /**
     * What limits the retries of all calls that share it, however many fail. Default none.
     *
     * @param budget the budget
     * @return this builder
     */
    public RetryPolicyBuilder budget(RetryBudget budget) {
        settings.budget = Objects.requireNonNull(budget, "budget");
        return this;
    }

    /**
     * What becomes of a call that has failed for good. Default {@link OnExhaustion#RETHROW}.
     *
     * @param onExhaustion what to do
     * @return this builder
     */
    public RetryPolicyBuilder onExhaustion(OnExhaustion onExhaustion) {
        settings.onExhaustion = Objects.requireNonNull(onExhaustion, "onExhaustion");
        return this;
    }

    /**
     * A gate: a failure is retried only if it returns {@code true}. Asked after attempts and deciders, before any wait. A gate that
     * throws ends the call; its error is suppressed in the original one.
     *
     * @param gate takes the error (unwrapped; {@code null} for a value to retry) and the call
     * @return this builder
     */
    public RetryPolicyBuilder onlyIf(BiPredicate<@Nullable Throwable, RetryContext> gate) {
        settings.onlyIf = Objects.requireNonNull(gate, "gate");
        return this;
    }

    /**
     * A gate: a failure is not retried if it returns {@code true}. Asked after {@link #onlyIf}.
     *
     * @param gate takes the error (unwrapped; {@code null} for a value to retry) and the call
     * @return this builder
     */
    public RetryPolicyBuilder unless(BiPredicate<@Nullable Throwable, RetryContext> gate) {
        settings.unless = Objects.requireNonNull(gate, "gate");
        return this;
    }

    /**
     * Treats returned values as failures. When such a call ends, the last value is returned. A predicate that throws counts
     * as no, and is logged.
     *
     * @param predicate takes the value and the call
     * @return this builder
     */
    public RetryPolicyBuilder retryIf(BiPredicate<@Nullable Object, RetryContext> predicate) {
        settings.retryIf = Objects.requireNonNull(predicate, "predicate");
        return this;
    }

    /**
     * Builds the policy.
     *
     * @return the policy
     * @throws IllegalArgumentException if {@code maxDelay} is below {@code delay} and both were set
     */
    public RetryPolicy build() {
        settings.checkDelays();
        return new RetryPolicy(settings.copy());
    }

    private RetryPolicyBuilder checked() {
        if (!copied) {
            settings.checkDelays();
        }
        return this;
    }

    private static Duration notNegative(String what, Duration duration) {
        if (Objects.requireNonNull(duration, what).isNegative()) {
            throw new IllegalArgumentException(
                    what + " is '" + DurationText.print(duration) + "', but must not be negative");
        }
        return duration;
    }
}
