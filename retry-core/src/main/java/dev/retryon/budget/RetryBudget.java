/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.budget;

import dev.retryon.backoff.DurationText;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Limits retries to a share of the calls, so that a server that fails for everybody is not also sent every call several
 * times. Shared by all calls that go to the same place. Thread-safe and lock-free.
 *
 * <p>Each call deposits {@code ratio} tokens, time deposits {@code minPerSecond} tokens a second (so that clients that call
 * rarely can retry), each retry takes one. What is not taken leaks away, the {@code window}-th part of it at a time: without
 * retries the budget comes to hold what one window brings in, so that a quiet night saves nothing for the morning. At
 * first it holds what time brings in in a window.
 *
 * <p>The two parameters and their defaults are those of Finagle's {@code RetryBudget}, which is a leaky token bucket too (20 %,
 * 10 a second, 10 seconds). Two others were considered. gRPC's retry throttling counts failures down and successes up and
 * stops retrying at half a bucket: how much is retried then depends on how it fails, not on how much is called. The token
 * bucket of the AWS SDKs (500 tokens, 5 a retry, refilled by success) does not leak, so the first outage after a good
 * time is met with the whole bucket whatever the load. Only Finagle's rule states the extra load as a share of the load,
 * which is the figure that the capacity of a server is planned by.
 *
 * <p>Two things differ from Finagle's. It leaks by forgetting deposits and withdrawals together when they are a window old,
 * which in an outage lets the first burst of retries return once a window; this one leaks evenly, so that retries come as
 * evenly as calls do. And a deposit reads no clock: calls are only counted, and the next retry dates those that came since
 * the one before it, evenly over the time between.
 *
 * @since 0.1.0
 */
public final class RetryBudget {

    /** The default number of retries allowed per call: 0.2. */
    public static final double DEFAULT_RATIO = 0.2;

    /** The default number of retries allowed per second whatever the calls: 10. */
    public static final int DEFAULT_MIN_PER_SECOND = 10;

    /** The default time for which tokens are saved: ten seconds. */
    public static final Duration DEFAULT_WINDOW = Duration.ofSeconds(10);

    private final LongSupplier ticker;

    private final LongAdder calls = new LongAdder();

    private final LongAdder denied = new LongAdder();

    private final AtomicReference<Ledger> ledger;

    private volatile Parameters parameters;

    private RetryBudget(Builder builder) {
        this.parameters = new Parameters(builder);
        this.ticker = builder.ticker;
        this.ledger = new AtomicReference<>(
                new Ledger(ticker.getAsLong(), 0, builder.minPerSecond * (builder.window.toNanos() / 1e9)));
    }

    /**
     * A budget with the defaults.
     *
     * @return a new budget
     */
    public static RetryBudget ofDefaults() {
        return builder().build();
    }

    /**
     * Starts a budget from the defaults.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Retries allowed per call.
     *
     * @return zero or more
     */
    public double ratio() {
        return parameters.ratio;
    }

    /**
     * Retries allowed per second whatever the calls.
     *
     * @return zero or more
     */
    public int minPerSecond() {
        return parameters.minPerSecond;
    }

    /**
     * For how long tokens are saved.
     *
     * @return from one second to one hour
     */
    public Duration window() {
        return parameters.window;
    }

    /**
     * Takes over other parameters, for everybody who shares this budget. The tokens that are there stay, and leak as the new
     * window says; refused retries go on being counted.
     *
     * @param other has the ratio, the retries per second and the window; its ticker is not used
     */
    public void reconfigure(Builder other) {
        Ledger old;
        do {
            old = ledger();
        } while (!ledger.compareAndSet(old, upToNow(old)));
        parameters = new Parameters(other);
    }

    /** Counts a call, by its first attempt. */
    public void deposit() {
        calls.increment();
    }

    /**
     * Takes a token for a retry.
     *
     * @return {@code false} if there is none: there must be no retry
     */
    public boolean withdraw() {
        while (true) {
            Ledger old = ledger();
            Ledger now = upToNow(old);
            boolean granted = now.tokens >= 1;
            // A refusal is written too: it dates the calls that have come in.
            if (ledger.compareAndSet(old, granted ? new Ledger(now.time, now.calls, now.tokens - 1) : now)) {
                if (!granted) {
                    denied.increment();
                }
                return granted;
            }
        }
    }

    /**
     * How many retries there could be at this moment.
     *
     * @return zero or more; a part of a token grants nothing
     */
    public double tokens() {
        return upToNow(ledger()).tokens;
    }

    private Ledger ledger() {
        return Objects.requireNonNull(ledger.get());
    }

    /**
     * How many retries were refused so far.
     *
     * @return zero or more
     */
    public long denied() {
        return denied.sum();
    }

    @Override
    public String toString() {
        Parameters now = parameters;
        return "RetryBudget[ratio=" + now.ratio + ", minPerSecond=" + now.minPerSecond + ", window="
                + DurationText.print(now.window) + "]";
    }

    /** What came in evenly since then is added, and what leaked meanwhile is not there any more. */
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

    /** What the budget is made of. */
    private static final class Parameters {

        private final double ratio;

        private final int minPerSecond;

        private final Duration window;

        private Parameters(Builder builder) {
            this.ratio = builder.ratio;
            this.minPerSecond = builder.minPerSecond;
            this.window = builder.window;
        }
    }

    /** How many tokens there were, when and after how many calls. */
    private static final class Ledger {

        private final long time;

        private final long calls;

        private final double tokens;

        private Ledger(long time, long calls, double tokens) {
            this.time = time;
            this.calls = calls;
            this.tokens = tokens;
        }
    }

    /** Builds a budget. Not thread-safe. */
    public static final class Builder {

        private double ratio = DEFAULT_RATIO;

        private int minPerSecond = DEFAULT_MIN_PER_SECOND;

        private Duration window = DEFAULT_WINDOW;

        private LongSupplier ticker = System::nanoTime;

        private Builder() {}

        /**
         * Retries allowed per call. Default {@value RetryBudget#DEFAULT_RATIO}.
         *
         * @param ratio from 0 to 1000
         * @return this builder
         * @throws IllegalArgumentException if out of bounds or not a number
         */
        public Builder ratio(double ratio) {
            if (!(ratio >= 0 && ratio <= 1000)) {
                throw new IllegalArgumentException("ratio is '" + ratio + "', but must be from 0 to 1000");
            }
            this.ratio = ratio;
            return this;
        }

        /**
         * Retries allowed per second whatever the calls. Default {@value
         * RetryBudget#DEFAULT_MIN_PER_SECOND}. With a ratio of 0 too there are no retries.
         *
         * @param minPerSecond zero or more
         * @return this builder
         * @throws IllegalArgumentException if negative
         */
        public Builder minPerSecond(int minPerSecond) {
            if (minPerSecond < 0) {
                throw new IllegalArgumentException("minPerSecond is '" + minPerSecond + "', but must not be negative");
            }
            this.minPerSecond = minPerSecond;
            return this;
        }

        /**
         * For how long tokens are saved: without retries the budget comes to hold what this time brings in. Default ten
         * seconds.
         *
         * @param window from one second to one hour
         * @return this builder
         * @throws IllegalArgumentException if out of bounds
         */
        public Builder window(Duration window) {
            if (window.compareTo(Duration.ofSeconds(1)) < 0 || window.compareTo(Duration.ofHours(1)) > 0) {
                throw new IllegalArgumentException(
                        "window is '" + DurationText.print(window) + "', but must be from 1s to 1h");
            }
            this.window = window;
            return this;
        }

        /**
         * Where time comes from. Default {@link System#nanoTime()}.
         *
         * @param ticker monotonic nanoseconds
         * @return this builder
         */
        public Builder ticker(LongSupplier ticker) {
            this.ticker = Objects.requireNonNull(ticker, "ticker");
            return this;
        }

        /**
         * Builds the budget.
         *
         * @return the budget
         */
        public RetryBudget build() {
            return new RetryBudget(this);
        }
    }
}
