// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Instant;

/** The facts of a call at one moment, for an event. It references neither the call nor its arguments. */
record CallFacts(String name, CallId callId, int attempt, int maxAttempts, Instant at, long sinceFirstFailureNanos) {}
