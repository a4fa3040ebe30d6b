// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import dev.retryon.RetryFailed;
import dev.retryon.spring.internal.observe.RetryOutcome;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The retries under one name. Counts begin when the application starts.
 *
 * @param retries retries, including those of running calls
 * @param waiting calls that currently wait for their next attempt
 * @param lastFailure the latest call that failed or was recovered; or {@code null}
 * @param methods the methods with that name; empty if the name is used only with {@code Retry}
 */
record RetriedDescription(
        String name,
        Calls calls,
        long retries,
        long waiting,
        @Nullable LastFailure lastFailure,
        List<RetriedMethodDescription> methods,
        @Nullable StandaloneRetryDescription client,
        @Nullable StandaloneRetryDescription registered)
        implements OperationResponseBody {

    /**
     * Calls that have ended.
     *
     * @param success calls that succeeded immediately; {@code null} if {@code retryon.metrics.enabled} is {@code false}
     * @param recovered calls that failed and were recovered, by reason
     * @param cancelled calls that their callers gave up
     */
    public record Calls(
            @Nullable Long success,
            long successAfterRetry,
            Map<String, Long> recovered,
            Map<String, Long> failure,
            long cancelled) {}

    /**
     * A retried method.
     *
     * @param signature the method with its parameters, a key for {@code retryon.methods}
     * @param settings the effective settings by attribute of the annotation
     * @param schedule the waits before the first retries
     * @param scheduleDependsOnCall whether the backoff depends on the call, so each wait can have any length up to the cap
     */
    public record RetriedMethodDescription(
            String beanClass,
            String signature,
            Map<String, SettingDescription> settings,
            List<Wait> schedule,
            boolean scheduleDependsOnCall) {}

    /**
     * An HTTP client that retries its requests, or a retry of {@code RetryRegistry}. The source of settings that are set
     * programmatically is {@code code}. A server can request waits that differ from the schedule.
     */
    public record StandaloneRetryDescription(
            Map<String, SettingDescription> settings, List<Wait> schedule, boolean scheduleDependsOnCall) {}

    /**
     * An effective setting.
     *
     * @param sources where it was set: {@code default}, a property, an annotation or {@code code}; several for lists that
     *     are combined, and for a limit that has lowered the value
     */
    public record SettingDescription(Object value, List<String> sources) {}

    /** The bounds of the wait before a retry, as ISO-8601 durations. Retries count from 1. */
    public record Wait(int retry, String shortest, String longest) {}

    /** The exception is {@code null} if the call returned a value that must be retried. */
    public record LastFailure(Instant at, @Nullable String exception, String reason, int attempts, boolean recovered) {

        static LastFailure of(RetryFailed failed) {
            Throwable error = failed.error();
            return new LastFailure(
                    failed.at(),
                    error == null ? null : error.getClass().getName(),
                    RetryOutcome.tag(failed.reason()),
                    failed.attempt(),
                    failed.recovered());
        }
    }
}
