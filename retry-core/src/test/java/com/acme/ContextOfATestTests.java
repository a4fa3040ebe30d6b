// SPDX-License-Identifier: Apache-2.0
package com.acme;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.CallSubject;
import dev.retryon.RetryContext;
import dev.retryon.RetryDecider;
import dev.retryon.StopReason;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Users test their gates and deciders without a call: they implement the context. */
class ContextOfATestTests {

    /** A decider of an application: orders of VIPs have as many attempts as the policy allows, others two. */
    private static final class VipsFirst implements RetryDecider {

        @Override
        public boolean shouldRetry(RetryContext context, @Nullable Throwable error) {
            CallSubject subject = context.subject();
            boolean vip = subject != null && "vip".equals(subject.arguments()[0]);
            return vip || context.attempt() < 2;
        }
    }

    @Test
    void aDeciderIsTestedWithAContextOfTheTest() {
        RetryDecider decider = new VipsFirst();
        IOException down = new IOException("down");

        assertThat(decider.shouldRetry(new OrderContext(1, "any"), down)).isTrue();
        assertThat(decider.shouldRetry(new OrderContext(2, "any"), down)).isFalse();
        assertThat(decider.shouldRetry(new OrderContext(2, "vip"), down)).isTrue();
    }

    private record OrderContext(int attempt, String customer) implements RetryContext {

        @Override
        public String name() {
            return "Orders.place";
        }

        @Override
        public String callId() {
            return "id";
        }

        @Override
        public int maxAttempts() {
            return 3;
        }

        @Override
        public boolean isLastAttempt() {
            return attempt == 3;
        }

        @Override
        public @Nullable Throwable lastError() {
            return null;
        }

        @Override
        public List<Throwable> errors() {
            return List.of();
        }

        @Override
        public @Nullable StopReason stopReason() {
            return null;
        }

        @Override
        public Duration elapsed() {
            return Duration.ZERO;
        }

        @Override
        public @Nullable Instant deadline() {
            return null;
        }

        @Override
        public boolean isDurable() {
            return false;
        }

        @Override
        public boolean leaseValid() {
            return true;
        }

        @Override
        public Map<String, Object> attributes() {
            return Map.of();
        }

        @Override
        public CallSubject subject() {
            return CallSubject.of("com.acme.Orders#place(String)", this, customer);
        }
    }
}
