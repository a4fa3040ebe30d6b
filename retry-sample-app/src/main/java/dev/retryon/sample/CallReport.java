package dev.retryon.sample;

import dev.retryon.RetryResult;
import dev.retryon.StopReason;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a call went, for the start page and for curl.
 *
 * @param answer what the shop answers; null if the call failed
 * @param error the type of the error that the caller got
 * @param attempts how many attempts were made
 * @param waitedMillis what was waited before each retry
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
}
