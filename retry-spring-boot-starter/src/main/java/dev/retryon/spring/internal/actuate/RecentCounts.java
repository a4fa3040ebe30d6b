// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import java.time.Duration;
import java.util.List;

/** Keeps recent values of {@link RetryOnEndpoint#counters()} for summaries. A module contributes it as a bean. */
public interface RecentCounts {

    /** The time between two values: more than zero. */
    Duration interval();

    /**
     * Returns how often something occurred in each interval, from its first occurrence to the current interval.
     *
     * @param counter a key of {@link RetryOnEndpoint#counters()}
     * @param total the current total
     */
    List<Integer> of(Object counter, long total);
}
