/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.http;

import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.RetryPolicy;
import dev.retryon.RetryScheduled;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Releases the connection of a refused response before the wait, within the time that the policy allows.
 *
 * @param policy the policy of the requests
 * @param next receives the events afterwards; {@code null} for none
 */
record ConnectionRelease(RetryPolicy policy, @Nullable RetryListener next) implements RetryListener {

    @Override
    public boolean wants(Class<? extends RetryEvent> type) {
        return type == RetryScheduled.class || (next != null && next.wants(type));
    }

    @Override
    public void onEvent(RetryEvent event) {
        if (event instanceof RetryScheduled scheduled && event.error() instanceof RetryableResponseException response) {
            response.release(longest(event.elapsed(), scheduled.delay()));
        }
        if (next != null && next.wants(event.getClass())) {
            next.onEvent(event);
        }
    }

    /** The longest time to read a refused response; zero or less if it is to be closed unread. */
    Duration longest(Duration elapsed, Duration delay) {
        Duration total = policy.timeout();
        return min(
                min(ResponseDrain.LONGEST_TIME, policy.attemptTimeout()),
                total == null ? null : total.minus(elapsed).minus(delay));
    }

    private static Duration min(Duration time, @Nullable Duration limit) {
        return limit == null || time.compareTo(limit) <= 0 ? time : limit;
    }
}
