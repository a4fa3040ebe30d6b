// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.RetryContext;
import dev.retryon.RetryHint;
import dev.retryon.RetryHintResolver;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Lets durable calls wait until an open circuit breaker of Resilience4j permits calls again. The breaker does not reveal
 * when it opened, so they wait for its whole wait interval. Used only where Resilience4j is on the class path.
 */
public record OpenBreakers(Supplier<Stream<CircuitBreakerRegistry>> registries) implements RetryHintResolver {

    @Override
    public @Nullable RetryHint resolve(Throwable error, RetryContext context) {
        // Calls that are not durable request nothing, because they hold a thread while they wait.
        if (!context.isDurable() || !(error instanceof CallNotPermittedException refused)) {
            return null;
        }
        Duration interval = waitInterval(refused.getCausingCircuitBreakerName());
        return interval == null ? null : RetryHint.ofRetryAfter(interval);
    }

    private @Nullable Duration waitInterval(String breaker) {
        return registries
                .get()
                .flatMap(registry -> registry.find(breaker).stream())
                .filter(found -> found.getState() == CircuitBreaker.State.OPEN)
                .findFirst()
                .map(found -> Duration.ofMillis(found.getCircuitBreakerConfig()
                        .getWaitIntervalFunctionInOpenState()
                        .apply(1)))
                .orElse(null);
    }
}
