// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.backoff.Backoff;
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

/**
 * The settings of a policy. A builder changes its own copy, and a policy keeps a copy that never changes. Each value
 * is immutable, so a shallow copy is enough.
 */
final class PolicySettings implements Cloneable {

    Set<Class<? extends Throwable>> exceptions = Set.of();

    Set<Class<? extends Throwable>> excludes = Set.of();

    Set<Class<? extends Throwable>> recoverOn = Set.of();

    Set<String> nonRetryableErrors = Set.of();

    Map<Class<? extends Throwable>, ErrorRuleBuilder.Rule> typeRules = Map.of();

    Map<String, ErrorRuleBuilder.Rule> codeRules = Map.of();

    int maxAttempts = RetryPolicy.DEFAULT_MAX_ATTEMPTS;

    boolean retryable = true;

    // Strategy and delays are null if they were not set. A strategy is then found by its name.
    @Nullable BackoffStrategy backoff;

    String backoffName = "exponential";

    @Nullable Duration delay;

    double multiplier = RetryPolicy.DEFAULT_MULTIPLIER;

    @Nullable Duration maxDelay;

    Jitter jitter = RetryPolicy.DEFAULT_JITTER;

    @Nullable Duration timeout;

    @Nullable Duration attemptTimeout;

    @Nullable RetryBudget budget;

    @Nullable Function<RetryContext, ? extends @Nullable Object> budgetKey;

    double budgetCost = 1;

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

    /** A set with more items, in the order added. */
    static <E> Set<E> plus(Set<E> items, E[] added) {
        Set<E> more = new LinkedHashSet<>(items);
        for (E item : added) {
            more.add(Objects.requireNonNull(item));
        }
        return Collections.unmodifiableSet(more);
    }

    /** A map with one more entry, in the order added. */
    static <K, V> Map<K, V> plus(Map<K, V> entries, K key, V value) {
        Map<K, V> more = new LinkedHashMap<>(entries);
        more.put(Objects.requireNonNull(key), value);
        return Collections.unmodifiableMap(more);
    }

    BackoffStrategy effectiveBackoff() {
        return backoff != null ? backoff : Backoff.named(backoffName, multiplier);
    }

    Duration effectiveDelay() {
        return delay != null ? delay : RetryPolicy.DEFAULT_DELAY;
    }

    Duration effectiveMaxDelay() {
        Duration cap =
                maxDelay != null ? maxDelay : DurationMath.longer(effectiveDelay(), RetryPolicy.DEFAULT_MAX_DELAY);
        return DurationMath.shorter(cap, Backoff.LONGEST_DELAY);
    }

    /** Rejects a cap below the base delay. The default delay may be longer than the cap, which then applies. */
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
            throw new IllegalArgumentException(
                    what + " is '" + number + "', but must be a number that is not negative");
        }
        return number;
    }
}
