// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.backoff.Backoff;
import dev.retryon.backoff.BackoffStrategy;
import dev.retryon.backoff.DurationText;
import dev.retryon.backoff.Jitter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The delays of a policy: backoff, then cap, then jitter, then cap again. Immutable. */
record PolicyDelays(BackoffStrategy backoff, Duration base, Duration longest, Jitter jitter, boolean immediate) {

    static PolicyDelays of(PolicySettings settings) {
        BackoffStrategy backoff = settings.backoff != null
                ? settings.backoff
                : Backoff.named(
                        Objects.requireNonNullElse(settings.backoffName, "exponential"),
                        settings.effectiveMultiplier());
        Duration base = Objects.requireNonNullElse(settings.delay, RetryPolicy.DEFAULT_DELAY);
        Duration longest = settings.maxDelay != null
                ? settings.maxDelay
                : DurationMath.longer(base, RetryPolicy.DEFAULT_MAX_DELAY);
        return new PolicyDelays(
                backoff,
                base,
                DurationMath.shorter(longest, Backoff.LONGEST_DELAY),
                Objects.requireNonNullElse(settings.jitter, RetryPolicy.DEFAULT_JITTER),
                backoff == Backoff.none() || (base.isZero() && backoff instanceof Backoff));
    }

    boolean dependOnCall() {
        return backoff.dependsOnCall();
    }

    /** Returns the name of the strategy without running users' code. */
    String backoffName() {
        return backoff instanceof Backoff
                ? backoff.toString()
                : backoff.getClass().getName();
    }

    /**
     * Returns the delay before a retry.
     *
     * @param onError receives the exception of a strategy; in that case, the base delay is used instead
     */
    Duration delay(int retry, @Nullable Duration previous, RandomGenerator random, Consumer<Throwable> onError) {
        if (retry < 1) {
            throw new IllegalArgumentException("retry is '" + retry + "', but must be at least 1");
        }
        if (immediate) {
            return Duration.ZERO;
        }
        Duration capped = cap(chosen(retry, previous, random, onError));
        return capped.isZero() ? Duration.ZERO : cap(jitter.apply(capped, random));
    }

    private Duration chosen(
            int retry, @Nullable Duration previous, RandomGenerator random, Consumer<Throwable> onError) {
        Throwable failure;
        try {
            Duration chosen = Extensions.ask(
                    backoff,
                    base,
                    () -> backoff instanceof Backoff builtIn
                            ? builtIn.delay(retry, base, previous, random)
                            : backoff.delay(retry, base, previous));
            if (chosen != null && !chosen.isNegative()) {
                return chosen;
            }
            failure = new IllegalStateException(
                    "backoff " + backoffName() + " returned " + (chosen == null ? "null" : DurationText.print(chosen)));
        } catch (Throwable ex) {
            failure = ex;
        }
        onError.accept(failure);
        return base;
    }

    private Duration cap(Duration delay) {
        return DurationMath.shorter(delay, longest);
    }

    List<RetryPolicy.DelayRange> ranges(int retries) {
        if (dependOnCall()) {
            return Collections.nCopies(retries, new RetryPolicy.DelayRange(Duration.ZERO, longest));
        }
        List<RetryPolicy.DelayRange> ranges = new ArrayList<>(retries);
        RandomGenerator lowest = () -> 0L;
        RandomGenerator highest = () -> -1L;
        Duration shortestDelay = null;
        Duration longestDelay = null;
        for (int retry = 1; retry <= retries; retry++) {
            shortestDelay = cap(jitter.shortest(cap(chosen(retry, shortestDelay, lowest, failure -> {}))));
            longestDelay = cap(jitter.longest(cap(chosen(retry, longestDelay, highest, failure -> {}))));
            ranges.add(new RetryPolicy.DelayRange(shortestDelay, longestDelay));
        }
        return Collections.unmodifiableList(ranges);
    }
}
