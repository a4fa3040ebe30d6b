// SPDX-License-Identifier: Apache-2.0
package com.acme;

import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Services with one fault each. */
public final class Faulty {

    private Faulty() {}

    public static class UnknownBackoff {
        @RetryOn(value = IOException.class, backoff = "exponental")
        public void charge() {}
    }

    public static class UnreadableDelay {
        @RetryOn(value = IOException.class, delay = "5 parsecs")
        public void charge() {}
    }

    public static class FailingAndUnreadable {
        @RetryOn(value = IOException.class, delay = "5 parsecs")
        public void charge() throws IOException {
            throw new IOException("the payment provider is down");
        }
    }

    public static class MaxDelayBelowDelay {
        @RetryOn(value = IOException.class, delay = "5s", maxDelay = "2s")
        public void charge() {}
    }

    public static class LongDelay {
        @RetryOn(value = IOException.class, delay = "5s")
        public void charge() {}
    }

    public static class UnparsableGate {
        @RetryOn(value = IOException.class, onlyIf = "#attempt <")
        public void charge() {}
    }

    public static class UnknownVariable {
        @RetryOn(value = IOException.class, unless = "#atempt > 2")
        public void charge(String order) {}
    }

    public static class UnknownGateBean {
        @RetryOn(value = IOException.class, onlyIf = "@switchboard.isOn()")
        public void charge(String order) {}
    }

    public static class WrongRecovery {
        @RetryOn(value = IOException.class, recover = "fallback")
        public String charge(String order, int amount) {
            return order;
        }

        String fallback(int amount, IOException error) {
            return "";
        }
    }

    public static class WrongBeforeRetry {
        @RetryOn(value = IOException.class, beforeRetry = "refreshToken")
        public String charge(String order, int amount) {
            return order;
        }

        void refreshToken(int amount, IOException error) {}
    }

    public static class MissingBeforeRetry {
        @RetryOn(value = IOException.class, beforeRetry = "refreshToken")
        public String charge(String order) {
            return order;
        }
    }

    public static class MissingRecovery {
        @RetryOn(value = IOException.class, recover = "fallbak")
        public String charge(String order) {
            return order;
        }

        String fallback(String order, IOException error) {
            return "";
        }
    }

    public static class MissingRecoveryBean {
        @RetryOn(value = IOException.class, recover = "fallbacks#charge")
        public String charge(String order) {
            return order;
        }
    }

    public static class UnknownPolicy {
        @RetryOn(value = IOException.class, policy = "paymnts")
        public void charge() {}
    }

    public static class SmallMultiplier {
        @RetryOn(value = IOException.class, multiplier = 0.5)
        public void charge() {}
    }

    public static class UnreadableMultiplier {
        @RetryOn(value = IOException.class, multiplierString = "double")
        public void charge() {}
    }

    public static class TooMuchJitter {
        @RetryOn(value = IOException.class, jitter = "120%")
        public void charge() {}
    }

    public static class NegativeDelay {
        @RetryOn(value = IOException.class, delay = "-1s")
        public void charge() {}
    }

    public static class NegativeTimeout {
        @RetryOn(value = IOException.class, timeout = "-1m")
        public void charge() {}
    }

    public static class NegativeMaxAttempts {
        @RetryOn(value = IOException.class, maxAttempts = -1)
        public void charge() {}
    }

    public static class UnreadableMaxAttempts {
        @RetryOn(value = IOException.class, maxAttemptsString = "three")
        public void charge() {}
    }

    public static class UnresolvedPlaceholder {
        @RetryOn(value = IOException.class, delay = "${payments.delay}")
        public void charge() {}
    }

    public static class FailingExpression {
        @RetryOn(value = IOException.class, delay = "#{@missing.delay}")
        public void charge() {}
    }

    public static class ValueAndExceptions {
        @RetryOn(value = IOException.class, exceptions = UncheckedIOException.class)
        public void charge() {}
    }

    public static class FinalMethod {
        @RetryOn(IOException.class)
        public final void charge() {}
    }

    public static class PrivateMethod {
        @RetryOn(IOException.class)
        private void charge() {}
    }
}
