// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample;

import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryResult;
import dev.retryon.RetryScheduled;
import dev.retryon.StopReason;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a call, for the start page and for curl.
 *
 * @param answer the answer of the shop; null if the call failed
 * @param error the type of the error that the caller received
 * @param attempts the number of attempts
 * @param waitedMillis the delay before each retry
 * @param stopReason why the call was no longer retried; null if it succeeded
 */
record CallReport(
        @Nullable String answer,
        @Nullable String error,
        int attempts,
        List<Long> waitedMillis,
        @Nullable StopReason stopReason) {

    static CallReport of(RetryResult<String> result) {
        Throwable error = result.error();
        return new CallReport(
                result.value(),
                error == null ? null : error.getClass().getSimpleName(),
                result.attempts(),
                result.delays().stream().map(Duration::toMillis).toList(),
                result.stopReason());
    }

    /** Returns a report from the events of one call. A call that ends at its first attempt has no events. */
    static CallReport of(@Nullable String answer, @Nullable Throwable error, List<RetryEvent> events) {
        RetryEvent last = events.isEmpty() ? null : events.get(events.size() - 1);
        return new CallReport(
                answer,
                error == null ? null : error.getClass().getSimpleName(),
                last == null ? 1 : last.attempt(),
                events.stream()
                        .filter(RetryScheduled.class::isInstance)
                        .map(event -> ((RetryScheduled) event).delay().toMillis())
                        .toList(),
                last instanceof RetryFailed failed ? failed.reason() : null);
    }
}
