// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.backoff.BackoffStrategy;
import dev.retryon.backoff.DurationText;
import dev.retryon.backoff.Jitter;
import dev.retryon.budget.RetryBudget;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The settings of a policy. Copies are shallow, because each value is immutable. A policy's copy never changes. */
final class PolicySettings implements Cloneable {

    Set<Class<? extends Throwable>> exceptions = Set.of();

    Set<Class<? extends Throwable>> excludes = Set.of();

    Set<Class<? extends Throwable>> recoverOn = Set.of();

    Set<String> nonRetryableErrors = Set.of();

    Map<Class<? extends Throwable>, PolicySettings> typeRules = Map.of();

    Map<String, PolicySettings> codeRules = Map.of();

    // The settings that a rule can have are null if they were not set.
    @Nullable Integer maxAttempts;

    @Nullable BackoffStrategy backoff;

    /** The name of a built-in strategy, which has no effect if a custom strategy is set. */
    @Nullable String backoffName;

    @Nullable Duration delay;

    @Nullable Double multiplier;

    @Nullable Duration maxDelay;

    @Nullable Jitter jitter;

    @Nullable Double budgetCost;

    boolean retryable = true;

    @Nullable Duration timeout;

    @Nullable Duration attemptTimeout;

    @Nullable RetryBudget budget;

    @Nullable Function<RetryContext, ? extends @Nullable Object> budgetKey;

    ExhaustionAction onExhaustion = ExhaustionAction.RETHROW;

    @Nullable BiPredicate<@Nullable Throwable, RetryContext> onlyIf;

    @Nullable BiPredicate<@Nullable Throwable, RetryContext> unless;

    @Nullable BiPredicate<@Nullable Object, RetryContext> retryIf;

    PolicySettings copy() {
        try {
            return (PolicySettings) clone();
        } catch (CloneNotSupportedException ex) {
            throw new IllegalStateException(ex);
        }
    }

    static <E> Set<E> plus(Set<E> items, E[] added) {
        Set<E> more = new LinkedHashSet<>(items);
        for (E item : added) {
            more.add(Objects.requireNonNull(item));
        }
        return Collections.unmodifiableSet(more);
    }

    static <K, V> Map<K, V> plus(Map<K, V> entries, K key, V value) {
        Map<K, V> more = new LinkedHashMap<>(entries);
        more.put(Objects.requireNonNull(key), value);
        return Collections.unmodifiableMap(more);
    }

    PolicySettings over(PolicySettings policy) {
        PolicySettings merged = policy.copy();
        merged.typeRules = Map.of();
        merged.codeRules = Map.of();
        merged.maxAttempts = first(maxAttempts, policy.maxAttempts);
        if (backoff != null || backoffName != null) {
            merged.backoff = backoff;
            merged.backoffName = backoffName;
        }
        merged.multiplier = first(multiplier, policy.multiplier);
        merged.jitter = first(jitter, policy.jitter);
        merged.budgetCost = first(budgetCost, policy.budgetCost);
        merged.delay = first(delay, policy.delay);
        merged.maxDelay = first(maxDelay, policy.maxDelay);
        // If two delays contradict each other, the rule's delay applies.
        if (merged.delay != null && merged.maxDelay != null) {
            if (delay != null) {
                merged.maxDelay = DurationMath.longer(merged.maxDelay, merged.delay);
            } else {
                merged.delay = DurationMath.shorter(merged.maxDelay, merged.delay);
            }
        }
        return merged;
    }

    private static <T> @Nullable T first(@Nullable T value, @Nullable T other) {
        return value != null ? value : other;
    }

    int effectiveMaxAttempts() {
        return maxAttempts != null ? maxAttempts : RetryPolicy.DEFAULT_MAX_ATTEMPTS;
    }

    double effectiveMultiplier() {
        return multiplier != null ? multiplier : RetryPolicy.DEFAULT_MULTIPLIER;
    }

    /** Rejects a cap below the base delay. The default delay can be longer, and is then capped. */
    void checkDelays() {
        if (delay != null && maxDelay != null && maxDelay.compareTo(delay) < 0) {
            throw new IllegalArgumentException("maxDelay is '" + DurationText.print(maxDelay)
                    + "', but must not be below delay, which is '" + DurationText.print(delay) + "'");
        }
    }

    static Duration notNegative(String what, Duration duration) {
        if (Objects.requireNonNull(duration, what).isNegative()) {
            throw new IllegalArgumentException(
                    what + " is '" + DurationText.print(duration) + "', but must not be negative");
        }
        return duration;
    }

    static double notNegative(String what, double number) {
        if (!(number >= 0 && number < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(what + " is '" + number + "', but must be 0 or more");
        }
        return number;
    }
}
