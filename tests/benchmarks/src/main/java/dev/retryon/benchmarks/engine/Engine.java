// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.engine;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.retryon.Retry;
import dev.retryon.RetryCallable;
import dev.retryon.RetryPolicy;
import dev.retryon.benchmarks.call.Action;
import dev.retryon.benchmarks.call.Call;
import dev.retryon.benchmarks.call.Probe;
import dev.retryon.benchmarks.call.Scenario;
import dev.retryon.benchmarks.call.TransientFault;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.core.retry.Retryable;

/**
 * The peers as libraries, without annotations and proxies. Everything that can be made beforehand is, for all of them:
 * policies, decorators, and the lambda that is called.
 */
public enum Engine {
    /** A loop written by hand. */
    HAND {
        @Override
        Action action(Scenario scenario, Probe probe) {
            int most = most(scenario);
            boolean gated = scenario == Scenario.GATE;
            Attempt attempt = attempt(scenario, probe);
            return () -> {
                for (int n = 1; ; n++) {
                    try {
                        return attempt.run();
                    } catch (TransientFault ex) {
                        if (n == most || (gated && !ex.isBusy())) {
                            throw ex;
                        }
                    }
                }
            };
        }
    },

    /** {@link Retry#call(RetryCallable)}. */
    RETRY_ON {
        @Override
        Action action(Scenario scenario, Probe probe) {
            var policy = RetryPolicy.builder()
                    .retryOn(TransientFault.class)
                    .maxAttempts(most(scenario))
                    .delay(Duration.ZERO);
            if (scenario == Scenario.GATE) {
                policy.onlyIf((error, context) -> isBusy(error));
            }
            Retry retry = Retry.of("call", policy.build());
            Attempt attempt = attempt(scenario, probe);
            RetryCallable<Probe, RuntimeException> callable = attempt::run;
            return () -> retry.call(callable);
        }
    },

    /** Spring Framework's {@link RetryTemplate}. */
    SPRING {
        @Override
        Action action(Scenario scenario, Probe probe) {
            var policy = org.springframework.core.retry.RetryPolicy.builder()
                    .includes(TransientFault.class)
                    .maxRetries(most(scenario) - 1)
                    .delay(Duration.ZERO);
            if (scenario == Scenario.GATE) {
                policy.predicate(Engine::isBusy);
            }
            RetryTemplate template = new RetryTemplate(policy.build());
            Attempt attempt = attempt(scenario, probe);
            Retryable<Probe> retryable = attempt::run;
            return () -> template.execute(retryable);
        }
    },

    /** Failsafe. */
    FAILSAFE {
        @Override
        Action action(Scenario scenario, Probe probe) {
            var policy = dev.failsafe.RetryPolicy.<Probe>builder().withMaxAttempts(most(scenario));
            if (scenario == Scenario.GATE) {
                policy.handleIf(error -> isBusy(error));
            } else {
                policy.handle(TransientFault.class);
            }
            FailsafeExecutor<Probe> executor = Failsafe.with(policy.build());
            Attempt attempt = attempt(scenario, probe);
            return () -> executor.get(attempt::run);
        }
    },

    /** Resilience4j's core. */
    RESILIENCE4J {
        @Override
        Action action(Scenario scenario, Probe probe) {
            var config = io.github.resilience4j.retry.RetryConfig.custom()
                    .maxAttempts(most(scenario))
                    .intervalFunction(attempt -> 0L);
            if (scenario == Scenario.GATE) {
                config.retryOnException(Engine::isBusy);
            } else {
                config.retryExceptions(TransientFault.class);
            }
            var retry = io.github.resilience4j.retry.Retry.of("call", config.build());
            Supplier<Probe> decorated = retry.decorateSupplier(attempt(scenario, probe)::run);
            return decorated::get;
        }
    };

    interface Attempt {

        Probe run();
    }

    abstract Action action(Scenario scenario, Probe probe);

    /**
     * Prepares a call and makes it once, to see that it does what it says.
     *
     * @param scenario how the attempts go
     * @return the call
     */
    public Call call(Scenario scenario) {
        Probe probe = new Probe();
        Call call = new Call(scenario, probe, action(scenario, probe));
        call.check(name());
        return call;
    }

    private static int most(Scenario scenario) {
        return scenario.needsMany() ? Scenario.MANY : Scenario.FEW;
    }

    private static Attempt attempt(Scenario scenario, Probe probe) {
        return scenario == Scenario.REFUSE ? probe::refuse : probe::attempt;
    }

    private static boolean isBusy(@Nullable Throwable error) {
        return error instanceof TransientFault fault && fault.isBusy();
    }
}
