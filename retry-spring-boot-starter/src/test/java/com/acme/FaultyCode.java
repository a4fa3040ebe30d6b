// SPDX-License-Identifier: Apache-2.0
package com.acme;

import dev.retryon.RetryContext;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import reactor.core.publisher.Mono;

/** Services whose code or gates can't do what their annotation asks for; each has one fault. */
public final class FaultyCode {

    private FaultyCode() {}

    public static class Order {

        public int getTotal() {
            return 5;
        }
    }

    public static class Healthy {

        @RetryOn(IOException.class)
        public void charge() {}
    }

    public static class ResultOfVoid {

        @RetryOn(retryIf = "#result == null")
        public void charge() {}
    }

    public static class ResultOfVoidLater {

        @RetryOn(retryIf = "#result == null")
        public CompletableFuture<Void> charge() {
            return new CompletableFuture<>();
        }
    }

    public static class ResultOfEmptyMono {

        @RetryOn(retryIf = "#result == null")
        public Mono<Void> charge() {
            return Mono.empty();
        }
    }

    public static class RecoveryWithSign {

        @RetryOn(value = IOException.class, recover = "#fallback")
        public void charge() {}

        void fallback() {}
    }

    public static class RecoveryOfOtherType {

        @RetryOn(value = IOException.class, recover = "fallback")
        public CompletableFuture<List<String>> charge() {
            return new CompletableFuture<>();
        }

        CompletableFuture<List<Integer>> fallback() {
            return new CompletableFuture<>();
        }
    }

    public static class GateInBraces {

        @RetryOn(value = IOException.class, onlyIf = "#{#attempt < 3}")
        public void charge() {}
    }

    public static class RecoveryWithDot {

        @RetryOn(value = IOException.class, recover = "fallbacks.charge")
        public void charge() {}
    }

    public static class RecoveryWithAt {

        @RetryOn(value = IOException.class, recover = "@fallbacks#charge")
        public void charge() {}
    }

    public static class RecoveryWithAtAndDot {

        @RetryOn(value = IOException.class, recover = "@fallbacks.charge")
        public void charge() {}
    }

    public static class TooManyAttempts {

        @RetryOn(value = IOException.class, maxAttemptsString = "2147483648")
        public void charge() {}
    }

    public static final class Final {

        @RetryOn(IOException.class)
        public void charge() {}
    }

    public static sealed class Sealed permits OnlySubclass {

        @RetryOn(IOException.class)
        public void charge() {}
    }

    static final class OnlySubclass extends Sealed {}

    public record OfRecord() {

        @RetryOn(IOException.class)
        public void charge() {}
    }

    /** An interface with a retried method. */
    public interface Service {

        @RetryOn(value = IllegalStateException.class, backoff = "none")
        String charge();
    }

    public static final class FinalImplementation implements Service {

        @Override
        public String charge() {
            int attempt = RetryContext.current().attempt();
            if (attempt == 1) {
                throw new IllegalStateException("attempt 1");
            }
            return "attempt " + attempt;
        }
    }
}
