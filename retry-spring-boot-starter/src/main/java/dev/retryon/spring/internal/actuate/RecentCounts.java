/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.actuate;

import java.time.Duration;
import java.util.List;

/** Keeps recent values of {@link RetryOnEndpoint#counters()}. If a module contributes one as a bean, summaries include them. */
public interface RecentCounts {

    /** The time between two values: more than zero. */
    Duration interval();

    /**
     * Returns how often something occurred in each interval.
     *
     * @param counter a key of {@link RetryOnEndpoint#counters()}
     * @param total the total by now
     * @return the current interval last; the first interval is the first one in which it occurred
     */
    List<Integer> of(Object counter, long total);
}
