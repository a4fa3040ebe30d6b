// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.backoff.DurationText;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

final class DurationMath {

    private static final long LONGEST_NANOS = Long.MAX_VALUE / 2;

    private DurationMath() {}

    static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** Converts a duration to nanoseconds, limited so that the difference between two results does not overflow. */
    static long nanos(Duration duration) {
        return Math.max(-LONGEST_NANOS, Math.min(LONGEST_NANOS, TimeUnit.NANOSECONDS.convert(duration)));
    }

    /** Prints a wait without the fraction of a millisecond that jitter adds. Waits below a millisecond are printed in full. */
    static String print(Duration wait) {
        Duration millis = wait.truncatedTo(ChronoUnit.MILLIS);
        return DurationText.print(millis.isZero() ? wait : millis);
    }
}
