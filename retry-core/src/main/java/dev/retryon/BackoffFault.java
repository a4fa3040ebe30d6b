/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Is told that a strategy of the user's failed and that the base delay stands in for it. */
@FunctionalInterface
interface BackoffFault {

    void strategyFailed(Throwable fault);

    static Duration guard(
            RetryPolicy policy, int retry, @Nullable Duration previous, RandomGenerator random, BackoffFault onFault) {
        Throwable fault;
        try {
            Duration chosen = policy.backoff().delay(retry, policy.delay(), previous, random);
            if (chosen != null && !chosen.isNegative()) {
                return chosen;
            }
            fault = new IllegalStateException("backoff " + policy.backoff() + " returned " + chosen);
        } catch (Throwable ex) {
            fault = ex;
        }
        onFault.strategyFailed(fault);
        return policy.delay();
    }
}
