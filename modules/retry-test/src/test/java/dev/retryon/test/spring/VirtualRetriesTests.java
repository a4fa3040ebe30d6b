// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.spring;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.AttemptTimeoutException;
import dev.retryon.RetryContext;
import dev.retryon.StopReason;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.test.RecordedRetries;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

@SpringBootTest(properties = {"retryon.defaults.jitter=none", "retryon.defaults.exceptions=java.io.IOException"})
@VirtualRetries
class VirtualRetriesTests {

    @Autowired
    private PaymentService payments;

    @Autowired
    private RecordedRetries retries;

    @BeforeEach
    void forget() {
        retries.clear();
    }

    @Test
    void passesWaitsAtOnceAndKnowsThem() throws IOException {
        payments.charge(2);
        assertThat(retries)
                .of("PaymentService.charge")
                .attempted(3)
                .waited(ofSeconds(1), ofSeconds(2))
                .succeeded();
        assertThat(retries).hasCalls("PaymentService.charge", 1);
    }

    @Test
    void tellsWhyACallFailed() {
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> payments.charge(9));
        assertThat(retries).of("PaymentService.charge").attempted(3).failed(StopReason.EXHAUSTED);
    }

    @Test
    void passesTheWaitsOfAsynchronousCalls() {
        assertThat(payments.chargeLater(2).join()).isEqualTo("attempt 3");
        assertThat(retries).of("PaymentService.chargeLater").attempted(3).waited(ofSeconds(1), ofSeconds(2));
        assertThat(payments.chargeMono(1).block()).isEqualTo("attempt 2");
        assertThat(retries).of("PaymentService.chargeMono").attempted(2).waited(ofSeconds(1));
    }

    @Test
    void lettingTimePassReachesTimeLimits() {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> payments.slow(() -> retries.advance(ofMinutes(2))));
        assertThat(retries).of("PaymentService.slow").attempted(1).failed(StopReason.TIMEOUT);
    }

    @Test
    void limitsAttemptsInRealTime() {
        assertThatExceptionOfType(AttemptTimeoutException.class).isThrownBy(() -> payments.stuck());
        assertThat(retries).of("PaymentService.stuck").attempted(2).failed(StopReason.EXHAUSTED);
    }

    @Test
    void knowsNothingOfCallsThatSucceedAtOnce() throws IOException {
        payments.charge(0);
        assertThat(retries).isEmpty();
    }

    @Test
    void saysWhatWasOtherwise() throws IOException {
        payments.charge(1);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(
                        () -> assertThat(retries).of("PaymentService.charge").attempted(3))
                .withMessageContaining("Expected 3 attempts but there were 2");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(
                        () -> assertThat(retries).of("PaymentService.charge").waited(ofSeconds(3)))
                .withMessageContaining("Expected waits of [3s] but they were [1s]");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(
                        () -> assertThat(retries).of("PaymentService.charge").failed(StopReason.EXHAUSTED));
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(
                        () -> assertThat(retries).of("PaymentService.charge").recovered());
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(retries).of("Other.method"))
                .withMessageContaining("Other.method");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(retries).isEmpty());
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(RetryAutoConfiguration.class)
    static class Application {

        @Bean
        PaymentService paymentService() {
            return new PaymentService();
        }
    }

    static class PaymentService {

        @RetryOn
        public String charge(int failures) throws IOException {
            return attempt(failures);
        }

        @RetryOn
        public CompletableFuture<String> chargeLater(int failures) {
            try {
                return CompletableFuture.completedFuture(attempt(failures));
            } catch (IOException ex) {
                return CompletableFuture.failedFuture(ex);
            }
        }

        @RetryOn
        public Mono<String> chargeMono(int failures) {
            return Mono.fromFuture(chargeLater(failures));
        }

        @RetryOn(timeout = "1m")
        public String slow(Runnable work) throws IOException {
            work.run();
            throw new IOException("slow");
        }

        @RetryOn(attemptTimeout = "20ms", maxAttempts = 2)
        public String stuck() throws InterruptedException {
            new CountDownLatch(1).await();
            return "never";
        }

        private static String attempt(int failures) throws IOException {
            int attempt = RetryContext.current().attempt();
            if (attempt <= failures) {
                throw new IOException("failure " + attempt);
            }
            return "attempt " + attempt;
        }
    }
}
