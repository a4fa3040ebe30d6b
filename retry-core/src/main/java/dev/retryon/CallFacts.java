/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Duration;
import java.time.Instant;

/**
 * What an event or a failure keeps of a call: values of one moment, and neither the call nor its arguments. Times are numbers,
 * because few ask for them and each retry has them: as objects they took 40 B more.
 *
 * @param name the name of the retry
 * @param callId the id of the call
 * @param attempt the number of the attempt
 * @param maxAttempts how many attempts the call had at most
 * @param time a time of day, not after the event
 * @param sinceNanos the time from then to the event
 * @param elapsedNanos how long the call had taken until then
 */
record CallFacts(
        String name, CallId callId, int attempt, int maxAttempts, Instant time, long sinceNanos, long elapsedNanos) {

    Instant at() {
        return time.plusNanos(sinceNanos);
    }

    Duration elapsed() {
        return Duration.ofNanos(elapsedNanos);
    }
}
