// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import java.time.Instant;

/**
 * The facts of a call at one moment, for an event. It references neither the call nor its arguments. Times
 * are numbers, because each retry has them and few listeners read them: as objects they took 40 B more.
 *
 * @param time a time of day, not after the event
 * @param sinceNanos the time from then to the event
 * @param sinceFirstFailureNanos the time from the first failure of the call to the event
 */
record CallFacts(
        String name,
        CallId callId,
        int attempt,
        int maxAttempts,
        Instant time,
        long sinceNanos,
        long sinceFirstFailureNanos) {

    Instant at() {
        return time.plusNanos(sinceNanos);
    }

    Duration sinceFirstFailure() {
        return Duration.ofNanos(sinceFirstFailureNanos);
    }
}
