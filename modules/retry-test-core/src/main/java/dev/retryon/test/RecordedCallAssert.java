// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test;

import dev.retryon.DeadLettered;
import dev.retryon.RetryFailed;
import dev.retryon.RetrySucceeded;
import dev.retryon.StopReason;
import dev.retryon.backoff.DurationText;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions about one call.
 *
 * @since 0.1.0
 */
public final class RecordedCallAssert extends AbstractAssert<RecordedCallAssert, RecordedCall> {

    RecordedCallAssert(RecordedCall actual) {
        super(actual, RecordedCallAssert.class);
    }

    /**
     * Verifies the number of attempts.
     *
     * @param attempts the expected number, including the first attempt
     * @return this
     */
    public RecordedCallAssert attempted(int attempts) {
        if (actual.attempts() != attempts) {
            throw failure("Expected %s attempts but there were %s: %s", attempts, actual.attempts(), actual);
        }
        return this;
    }

    /**
     * Verifies the exact delay before each retry. The policy's jitter also applies in tests. If a test expects
     * exact delays, set the jitter to {@code none}; otherwise, use {@link #waitedBetween}.
     *
     * @param waits the expected delays, one per retry
     * @return this
     */
    public RecordedCallAssert waited(Duration... waits) {
        if (!actual.waits().equals(List.of(waits))) {
            throw failure("Expected waits of %s but they were %s", print(List.of(waits)), print(actual.waits()));
        }
        return this;
    }

    private static List<String> print(List<Duration> waits) {
        return waits.stream().map(DurationText::print).toList();
    }

    /**
     * Verifies that each delay was within bounds.
     *
     * @param shortest the shortest delay, inclusive
     * @param longest the longest delay, inclusive
     * @return this
     */
    public RecordedCallAssert waitedBetween(Duration shortest, Duration longest) {
        for (Duration wait : actual.waits()) {
            if (wait.compareTo(shortest) < 0 || wait.compareTo(longest) > 0) {
                throw failure(
                        "Expected waits from %s to %s but they were %s",
                        DurationText.print(shortest), DurationText.print(longest), print(actual.waits()));
            }
        }
        return this;
    }

    /**
     * Verifies that the call succeeded.
     *
     * @return this
     */
    public RecordedCallAssert succeeded() {
        if (actual.events().stream().noneMatch(RetrySucceeded.class::isInstance)) {
            throw failure("Expected success but was: %s", actual);
        }
        return this;
    }

    /**
     * Verifies that the call failed with the given reason, and that no recovery returned a value.
     *
     * @param reason the expected reason
     * @return this
     */
    public RecordedCallAssert failed(StopReason reason) {
        RetryFailed failed = actual.failure();
        if (failed == null || failed.recovered() || failed.reason() != reason) {
            throw failure("Expected failure with %s but was: %s", reason, actual);
        }
        return this;
    }

    /**
     * Verifies that the call was kept as a dead letter.
     *
     * @return this
     */
    public RecordedCallAssert deadLettered() {
        if (actual.events().stream().noneMatch(DeadLettered.class::isInstance)) {
            throw failure("Expected a dead letter but was: %s", actual);
        }
        return this;
    }

    /**
     * Verifies that all attempts failed and that a recovery returned a value.
     *
     * @return this
     */
    public RecordedCallAssert recovered() {
        RetryFailed failed = actual.failure();
        if (failed == null || !failed.recovered()) {
            throw failure("Expected a recovery but was: %s", actual);
        }
        return this;
    }
}
