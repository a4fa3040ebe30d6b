// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.proxy;

import dev.retryon.benchmarks.call.Probe;
import dev.retryon.benchmarks.call.Scenario;
import dev.retryon.benchmarks.call.TransientFault;
import dev.retryon.spring.RetryOn;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.transaction.annotation.Transactional;

/** Beans with a second advice after the retrying one. Each attempt is a transaction. */
final class TransactionalCalls {

    private TransactionalCalls() {}

    static class Empty extends PlainCalls {

        @Override
        @Transactional
        public Probe call(Probe probe) {
            return probe.attempt();
        }
    }

    static class Hand extends PlainCalls {

        @Override
        @Transactional
        public Probe call(Probe probe) {
            return probe.attempt();
        }
    }

    static class RetriedOn extends PlainCalls {

        @Override
        @Transactional
        @RetryOn(exceptions = TransientFault.class, maxAttempts = Scenario.FEW, delay = "0")
        public Probe call(Probe probe) {
            return probe.attempt();
        }
    }

    static class Spring extends PlainCalls {

        @Override
        @Transactional
        @Retryable(includes = TransientFault.class, maxRetries = Scenario.FEW - 1, delay = 0)
        public Probe call(Probe probe) {
            return probe.attempt();
        }
    }
}
