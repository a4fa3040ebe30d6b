/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.report;

import java.util.Locale;

/** Numbers as people read them: as many digits as mean something. */
final class Numbers {

    private Numbers() {}

    static String time(double value) {
        return String.format(Locale.ROOT, value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%,.0f", value);
    }

    static String ratio(double value) {
        return String.format(Locale.ROOT, value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%,.0f", value);
    }

    /** Less than half a byte an operation is what a collector does meanwhile. */
    static String bytes(double value) {
        return Double.isNaN(value) ? "–" : String.format(Locale.ROOT, "%,d", Math.round(value));
    }
}
