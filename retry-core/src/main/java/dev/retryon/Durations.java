/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Compares and converts durations. */
final class Durations {

    private static final long LONGEST_NANOS = Long.MAX_VALUE / 2;

    private Durations() {}

    /** The shorter one of two durations. */
    static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** The nanoseconds of a duration, limited so that the difference of two of them does not overflow. */
    static long nanos(Duration duration) {
        return Math.max(-LONGEST_NANOS, Math.min(LONGEST_NANOS, TimeUnit.NANOSECONDS.convert(duration)));
    }
}
