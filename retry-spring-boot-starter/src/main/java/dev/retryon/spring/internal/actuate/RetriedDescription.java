/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.actuate;

import dev.retryon.RetryFailed;
import dev.retryon.spring.internal.observe.RetryOutcome;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The retries under one name. Counts begin at the start of the application.
 *
 * @param name the name in meters, events and logs
 * @param calls calls that have ended
 * @param retries retries of all those calls, and of calls under way
 * @param waiting calls that wait for their next attempt at this moment
 * @param lastFailure the latest call that failed; {@code null} if none did
 * @param methods the methods of that name; empty if only {@code Retry} is used with it
 * @param client the HTTP client of that name; {@code null} if there is none
 * @param registered the retry of that name that code got from {@code RetryRegistry}; {@code null} if there is none
 */
record RetriedDescription(
        String name,
        Calls calls,
        long retries,
        long waiting,
        @Nullable LastFailure lastFailure,
        List<RetriedMethodDescription> methods,
        @Nullable RetriedClientDescription client,
        @Nullable RegisteredRetryDescription registered)
        implements OperationResponseBody {

    /**
     * Calls that have ended.
     *
     * @param success those that succeeded at once; {@code null} if they are not counted, that is if {@code
     *     retryon.metrics.enabled} is {@code false}
     * @param successAfterRetry those that succeeded at a later attempt
     * @param recovered those that failed and were recovered, by reason; reasons that never occurred are
     *     missing
     * @param failure those that failed, by reason; reasons that never occurred are missing
     * @param cancelled those that their callers gave up
     */
    public record Calls(
            @Nullable Long success,
            long successAfterRetry,
            Map<String, Long> recovered,
            Map<String, Long> failure,
            long cancelled) {}

    /**
     * A method that is retried.
     *
     * @param beanClass the bean's class
     * @param signature the method with its parameters, a key for {@code retryon.methods}
     * @param settings the effective settings by attribute of the annotation
     * @param schedule the waits of the policy before the first ten retries
     * @param scheduleDependsOnCall whether the backoff chooses by the call, so that each wait is anything up to the cap
     */
    public record RetriedMethodDescription(
            String beanClass,
            String signature,
            Map<String, SettingDescription> settings,
            List<Wait> schedule,
            boolean scheduleDependsOnCall) {}

    /**
     * An HTTP client that retries its requests.
     *
     * @param settings the effective settings: those of the policy, {@code statuses}, {@code methods}, {@code
     *     idempotencyKeyHeader} and {@code idempotencyKey}
     * @param schedule the waits before the first ten retries, unless the server asks for others
     */
    public record RetriedClientDescription(Map<String, SettingDescription> settings, List<Wait> schedule) {}

    /**
     * A retry of {@code RetryRegistry}.
     *
     * @param settings the effective settings by attribute of the annotation; the source of those that are built in
     *     code is {@code code}
     * @param schedule the waits of the policy before the first ten retries
     * @param scheduleDependsOnCall whether the backoff chooses by the call, so that each wait is anything up to the cap
     */
    public record RegisteredRetryDescription(
            Map<String, SettingDescription> settings, List<Wait> schedule, boolean scheduleDependsOnCall) {}

    /**
     * An effective setting.
     *
     * @param value what holds
     * @param sources where it was set: {@code default}, a property, an annotation or {@code code}; several for lists
     *     that add up, and for a limit that has lowered the value
     */
    public record SettingDescription(Object value, List<String> sources) {}

    /**
     * The bounds of one wait, as ISO-8601 durations.
     *
     * @param retry the retry's number, from 1
     * @param shortest the shortest wait
     * @param longest the longest wait
     */
    public record Wait(int retry, String shortest, String longest) {}

    /**
     * The latest call of a name that failed, or was recovered.
     *
     * @param at when it ended
     * @param exception the class of its last error; {@code null} if it returned a value that was to be retried
     * @param reason why it was not, or no longer, retried, in lower case
     * @param attempts how many attempts it had
     * @param recovered whether a recovery method returned a value to the caller
     */
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
