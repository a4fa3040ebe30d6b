/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.measure;

/** In what a time is shown. */
public enum Unit {
    /** Nanoseconds. */
    NANOSECONDS("ns", 1),

    /** Milliseconds. */
    MILLISECONDS("ms", 1_000_000);

    private final String symbol;

    private final double nanos;

    Unit(String symbol, double nanos) {
        this.symbol = symbol;
        this.nanos = nanos;
    }

    /**
     * How the unit is written.
     *
     * @return its symbol
     */
    public String symbol() {
        return symbol;
    }

    /**
     * A time in this unit.
     *
     * @param time in nanoseconds
     * @return the same time
     */
    public double from(double time) {
        return time / nanos;
    }
}
