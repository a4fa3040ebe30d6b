// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import dev.retryon.RetryContext;
import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.RetryPolicy;
import dev.retryon.RetryScheduled;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Releases the connection of a rejected response before the wait, within the time that the policy allows. */
record ConnectionRelease(RetryPolicy policy) implements RetryListener {

    @Override
    public void onEvent(RetryEvent event) {
        if (event instanceof RetryScheduled scheduled && event.error() instanceof RetryableResponseException response) {
            response.release(longest(RetryContext.current().elapsed(), scheduled.delay()));
        }
    }

    /** Returns the longest time to read a rejected response, or zero or less if the response must be closed unread. */
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
