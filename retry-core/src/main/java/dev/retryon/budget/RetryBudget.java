// SPDX-License-Identifier: Apache-2.0
package dev.retryon.budget;

import dev.retryon.backoff.DurationText;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits retries to a share of the calls. Otherwise, an overloaded server would also receive every call several
 * times. Use one budget for all calls to the same server. Thread-safe, and lock-free unless it is divided by a key.
 *
 * <pre>{@code
 * RetryBudget budget = RetryBudget.builder().ratio(0.1).minPerSecond(5).build();
 * RetryPolicy policy = RetryPolicy.builder().retryOn(IOException.class).budget(budget).build();
 * }</pre>
 *
 * <p>Each call adds {@code ratio} tokens. Each second adds {@code minPerSecond} tokens, which allow clients with few
 * calls to retry. Each retry takes one token. Unused tokens leak at a rate of {@code tokens / window}. Without retries,
 * the budget therefore approaches the income of one window, and a quiet period does not accumulate more tokens. A new
 * budget has {@code minPerSecond · window} tokens.
 *
 * <p>The parameters and their defaults (20 %, 10 per second, 10 seconds) are those of Finagle's {@code RetryBudget},
 * which is also a leaky token bucket. Such a budget limits the extra load to a share of the load, which is a useful
 * figure for capacity planning. The retry throttling of gRPC depends on the mix of failures and successes instead. The
 * token bucket of the AWS SDKs does not leak, so the first outage after a quiet period can use the whole bucket.
 *
 * <p>Unlike Finagle's budget, this budget leaks continuously, which spreads retries as evenly as calls. Finagle
 * discards whole windows, which causes a burst of retries once per window. In addition, a deposit does not read the
 * clock. Instead, the next retry spreads the calls since the previous retry evenly over the time between the two.
 *
 * <p>{@link #forKey} divides a budget to prevent one tenant of a server from using up the retries of other tenants.
 *
 * @since 0.1.0
 */
public final class RetryBudget {

    /** The default number of retries allowed per call: 0.2. */
    public static final double DEFAULT_RATIO = 0.2;

    /** The default number of retries allowed per second in addition to the ratio: 10. */
    public static final int DEFAULT_MIN_PER_SECOND = 10;

    /** The default time for which unused tokens are kept: ten seconds. */
    public static final Duration DEFAULT_WINDOW = Duration.ofSeconds(10);

    /** The maximum number of keys: 1,000. */
    public static final int MOST_KEYS = 1_000;

    private static final int LONGEST_KEY = 200;

    private final @Nullable RetryBudget whole;

    private final LongSupplier ticker;

    /** The budgets of keys, the least recently used first. */
    private final Map<String, RetryBudget> parts = new LinkedHashMap<>(0, 0.75f, true) {

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, RetryBudget> eldest) {
            return size() > MOST_KEYS;
        }
    };

    private final LongAdder calls = new LongAdder();

    private final LongAdder denied = new LongAdder();

    private final AtomicReference<Ledger> ledger;

    private volatile Parameters parameters;

    private RetryBudget(Builder builder) {
        this(null, builder.parameters(), builder.ticker, true);
    }

    private RetryBudget(@Nullable RetryBudget whole, Parameters parameters, LongSupplier ticker, boolean isFull) {
        this.whole = whole;
        this.parameters = parameters;
        this.ticker = ticker;
        double tokens = isFull ? parameters.minPerSecond * (parameters.window.toNanos() / 1e9) : 0;
        this.ledger = new AtomicReference<>(new Ledger(ticker.getAsLong(), 0, tokens));
    }

    /** {@return a new budget with the defaults} */
    public static RetryBudget ofDefaults() {
        return builder().build();
    }

    /** {@return a new builder with the defaults} */
    public static Builder builder() {
        return new Builder();
    }

    /** {@return the number of retries allowed per call, zero or more} */
    public double ratio() {
        return parameters.ratio;
    }

    /** {@return the number of retries allowed per second in addition to the ratio, zero or more} */
    public int minPerSecond() {
        return parameters.minPerSecond;
    }

    /** {@return how long unused tokens are kept, from one second to one hour} */
    public Duration window() {
        return parameters.window;
    }

    /**
     * Returns the part of this budget for a key. It has the same parameters and its own tokens. Retries that it denies
     * also count as denied by this budget. The first {@value #MOST_KEYS} keys begin with the tokens of a new budget.
     * Each further key replaces the least recently used key, and its part begins without tokens. Otherwise, callers
     * that invent keys would have unlimited retries.
     *
     * @param key the key; two keys are the same if the first 200 characters of their texts are the same
     * @return the part, which is the same for each call with the key until the key is replaced
     * @throws IllegalStateException if this budget is a part itself
     */
    public RetryBudget forKey(Object key) {
        if (whole != null) {
            throw new IllegalStateException(
                    "This budget is already a share of another budget and cannot be divided further");
        }
        String text = Objects.requireNonNullElse(key.toString(), "");
        String name = text.length() > LONGEST_KEY ? text.substring(0, LONGEST_KEY) : text;
        synchronized (parts) {
            boolean isFull = parts.size() < MOST_KEYS;
            return parts.computeIfAbsent(name, missing -> new RetryBudget(this, parameters, ticker, isFull));
        }
    }

    private List<RetryBudget> parts() {
        synchronized (parts) {
            return List.copyOf(parts.values());
        }
    }

    /** {@return the number of keys that have a part of this budget, from 0 to {@value #MOST_KEYS}} */
    public int keys() {
        return parts().size();
    }

    /**
     * Changes the parameters for all policies that share this budget, and for all its parts. The current tokens remain
     * and leak according to the new window. The count of denied retries continues.
     *
     * @param other the new parameters; their ticker is ignored
     */
    public void reconfigure(Builder other) {
        reconfigure(other.parameters());
        parts().forEach(part -> part.reconfigure(parameters));
    }

    private void reconfigure(Parameters next) {
        Ledger old;
        do {
            old = ledger();
        } while (!ledger.compareAndSet(old, upToNow(old)));
        parameters = next;
    }

    /** Counts a call. Invoke this method once per call, with its first attempt. */
    public void deposit() {
        calls.increment();
    }

    /**
     * Takes a token for a retry.
     *
     * @return {@code false} if no token is available; in this case, the call must not be retried
     */
    public boolean withdraw() {
        return withdraw(1);
    }

    /**
     * Takes tokens for a retry. The cost need not be a whole number.
     *
     * @param cost the number of tokens, zero or more
     * @return {@code false} if fewer tokens are available; in this case, the call must not be retried
     * @throws IllegalArgumentException if the cost is negative or not a number
     */
    public boolean withdraw(double cost) {
        if (!(cost >= 0)) {
            throw new IllegalArgumentException("cost is '" + cost + "', but must be 0 or more");
        }
        while (true) {
            Ledger old = ledger();
            Ledger now = upToNow(old);
            boolean granted = now.tokens >= cost;
            // A denial is also written, because it updates the time and the number of calls.
            if (ledger.compareAndSet(old, granted ? new Ledger(now.time, now.calls, now.tokens - cost) : now)) {
                if (!granted) {
                    denied.increment();
                    if (whole != null) {
                        whole.denied.increment();
                    }
                }
                return granted;
            }
        }
    }

    /**
     * Returns the current number of tokens. If the budget is divided by keys, returns the lowest number of tokens that
     * any key has. The tokens for calls without a key count only if such calls have occurred.
     *
     * @return the number of tokens, zero or more; a retry needs a whole token
     */
    public double tokens() {
        double own = upToNow(ledger()).tokens;
        double least = parts().stream().mapToDouble(RetryBudget::tokens).min().orElse(own);
        return calls.sum() > 0 ? Math.min(least, own) : least;
    }

    private Ledger ledger() {
        return Objects.requireNonNull(ledger.get());
    }

    /** {@return the number of retries that were denied, zero or more} */
    public long denied() {
        return denied.sum();
    }

    @Override
    public String toString() {
        Parameters now = parameters;
        return "RetryBudget[ratio=" + now.ratio + ", minPerSecond=" + now.minPerSecond + ", window="
                + DurationText.print(now.window) + "]";
    }

    /** Adds the income since the given state, spread evenly over the time, and subtracts the leaked tokens. */
    private Ledger upToNow(Ledger then) {
        long time = ticker.getAsLong();
        long count = calls.sum();
        double passed = Math.max(0, time - then.time) / 1e9;
        Parameters now = parameters;
        double income = now.ratio * Math.max(0, count - then.calls) + now.minPerSecond * passed;
        double windows = passed * 1e9 / now.window.toNanos();
        // The solution of tokens' = income / passed - tokens / window.
        double left = Math.exp(-windows);
        double kept = windows == 0 ? 1 : -Math.expm1(-windows) / windows;
        return new Ledger(Math.max(time, then.time), Math.max(count, then.calls), then.tokens * left + income * kept);
    }

    private record Parameters(double ratio, int minPerSecond, Duration window) {}

    /** The number of tokens at one point in time, and the number of calls up to that time. */
    private record Ledger(long time, long calls, double tokens) {}

    /** Builds a {@link RetryBudget}. Not thread-safe. */
    public static final class Builder {

        private double ratio = DEFAULT_RATIO;

        private int minPerSecond = DEFAULT_MIN_PER_SECOND;

        private Duration window = DEFAULT_WINDOW;

        private LongSupplier ticker = System::nanoTime;

        private Builder() {}

        /**
         * Sets the number of retries allowed per call. The default is {@value RetryBudget#DEFAULT_RATIO}.
         *
         * @param ratio the number of retries per call, from 0 to 1000
         * @return this builder
         * @throws IllegalArgumentException if the ratio is out of bounds or not a number
         */
        public Builder ratio(double ratio) {
            if (!(ratio >= 0 && ratio <= 1000)) {
                throw new IllegalArgumentException("ratio is '" + ratio + "', but must be between 0 and 1000");
            }
            this.ratio = ratio;
            return this;
        }

        /**
         * Sets the number of retries allowed per second in addition to the ratio. The default is {@value
         * RetryBudget#DEFAULT_MIN_PER_SECOND}. If the ratio is also 0, no call is retried.
         *
         * @param minPerSecond the number of retries, zero or more
         * @return this builder
         * @throws IllegalArgumentException if the number is negative
         */
        public Builder minPerSecond(int minPerSecond) {
            if (minPerSecond < 0) {
                throw new IllegalArgumentException("minPerSecond is '" + minPerSecond + "', but must not be negative");
            }
            this.minPerSecond = minPerSecond;
            return this;
        }

        /**
         * Sets how long unused tokens are kept. Without retries, the budget approaches the number of tokens that are
         * added in this time. The default is ten seconds.
         *
         * @param window the time, from one second to one hour
         * @return this builder
         * @throws IllegalArgumentException if the time is out of bounds
         */
        public Builder window(Duration window) {
            if (window.compareTo(Duration.ofSeconds(1)) < 0 || window.compareTo(Duration.ofHours(1)) > 0) {
                throw new IllegalArgumentException(
                        "window is '" + DurationText.print(window) + "', but must be between 1s and 1h");
            }
            this.window = window;
            return this;
        }

        /**
         * Sets the source of time. The default is {@link System#nanoTime()}.
         *
         * @param ticker returns monotonic nanoseconds
         * @return this builder
         */
        public Builder ticker(LongSupplier ticker) {
            this.ticker = Objects.requireNonNull(ticker, "ticker");
            return this;
        }

        /** {@return a new budget with these parameters} */
        public RetryBudget build() {
            return new RetryBudget(this);
        }

        private Parameters parameters() {
            return new Parameters(ratio, minPerSecond, window);
        }
    }
}
