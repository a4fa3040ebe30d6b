// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Instant;

/** What an event says about its call at that moment. Does not reference the call or its arguments. */
record CallFacts(String name, CallId callId, int attempt, int maxAttempts, Instant at, long sinceFirstFailureNanos) {}
