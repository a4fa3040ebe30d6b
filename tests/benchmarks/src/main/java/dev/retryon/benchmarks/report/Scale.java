/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.report;

import java.util.DoubleSummaryStatistics;
import java.util.stream.DoubleStream;

/**
 * A logarithmic scale between two powers of ten.
 *
 * @param lowest the exponent at its start, below every value
 * @param highest the exponent at its end, at or above every value
 */
record Scale(int lowest, int highest) {

    static Scale over(DoubleStream values) {
        DoubleSummaryStatistics range = values.summaryStatistics();
        int lowest = (int) Math.ceil(Math.log10(range.getMin())) - 1;
        int highest = (int) Math.ceil(Math.log10(range.getMax()));
        return new Scale(lowest, Math.max(highest, lowest + 1));
    }

    /** Where a value is, on a scale of a number of units. */
    int position(double value, int length) {
        return (int) Math.round(length * (Math.log10(value) - lowest) / (highest - lowest));
    }
}
