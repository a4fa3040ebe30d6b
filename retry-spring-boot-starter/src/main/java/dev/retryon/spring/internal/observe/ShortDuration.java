/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.observe;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** Durations as people read them in a line of text. */
final class ShortDuration {

    private ShortDuration() {}

    /** To the millisecond: {@code 0.512s}, {@code 2m30s}. */
    static String of(Duration duration) {
        return duration.truncatedTo(ChronoUnit.MILLIS).toString().substring(2).toLowerCase(Locale.ROOT);
    }
}
