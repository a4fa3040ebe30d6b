// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.beans;

import dev.retryon.benchmarks.call.Scenario;
import dev.retryon.benchmarks.call.TransientFault;
import dev.retryon.spring.RetryOn;
import org.springframework.retry.annotation.Backoff;

/** Declares the annotations that generated methods get. Loaded only where beans are generated. */
abstract class Templates {

    @Marked
    abstract void empty();

    @RetryOn(exceptions = TransientFault.class, maxAttempts = Scenario.FEW, delay = "0")
    abstract void retryOn();

    @org.springframework.resilience.annotation.Retryable(
            includes = TransientFault.class,
            maxRetries = Scenario.FEW - 1,
            delay = 0)
    abstract void spring();

    @org.springframework.retry.annotation.Retryable(
            retryFor = TransientFault.class,
            maxAttempts = Scenario.FEW,
            backoff = @Backoff(0))
    abstract void springRetry();

    @io.github.resilience4j.retry.annotation.Retry(name = "call")
    abstract void resilience4j();
}
