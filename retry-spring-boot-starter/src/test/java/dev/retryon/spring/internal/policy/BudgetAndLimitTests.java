// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.AttemptTimeoutException;
import dev.retryon.StopReason;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.VirtualTimeBeans;
import dev.retryon.test.RecordedRetries;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Mono;

@Timeout(120)
class BudgetAndLimitTests {

    private final ApplicationContextRunner runner =
            Applications.retrying().withUserConfiguration(VirtualTimeBeans.class);

    /** Two retries for each call, and none beside. */
    private final ApplicationContextRunner thrifty = runner.withPropertyValues(
            "retryon.budgets.gateway.ratio=2",
            "retryon.budgets.gateway.min-per-second=0",
            "retryon.budgets.gateway.window=1h");

    @Test
    void methodsThatNameABudgetShareIt() {
        thrifty.withBean(Payments.class).run(context -> {
            Payments payments = context.getBean(Payments.class);
            payments.look();
            payments.look();
            assertThatExceptionOfType(IOException.class).isThrownBy(payments::charge);
            // 6 = 2 · 3 calls, less what has leaked away since: 5 retries
            assertThat(context.getBean(RecordedRetries.class))
                    .of("Payments.charge")
                    .attempted(6)
                    .failed(StopReason.BUDGET);
        });
    }

    @Test
    void aBudgetOfTheDefaultsIsMadeForEachMethod() {
        thrifty.withPropertyValues("retryon.defaults.budget=gateway")
                .withBean(Stock.class)
                .run(context -> {
                    Stock stock = context.getBean(Stock.class);
                    stock.look();
                    stock.look();
                    assertThatExceptionOfType(IOException.class).isThrownBy(stock::reserve);
                    // 2 = 2 · 1 call, less what has leaked away since: 1 retry
                    assertThat(context.getBean(RecordedRetries.class))
                            .of("Stock.reserve")
                            .attempted(2)
                            .failed(StopReason.BUDGET);
                });
    }

    @Test
    void aMethodCalledAsABudgetHasNotThatBudget() {
        thrifty.withPropertyValues("retryon.defaults.budget=default")
                .withBean(Namesakes.class)
                .run(context -> {
                    Namesakes namesakes = context.getBean(Namesakes.class);
                    assertThatExceptionOfType(IOException.class).isThrownBy(namesakes::own);
                    assertThatExceptionOfType(IOException.class).isThrownBy(namesakes::shared);
                    RecordedRetries retries = context.getBean(RecordedRetries.class);
                    // The default budget allows more retries than are made; "gateway" as configured allows 2 · 1 call.
                    assertThat(retries).of("gateway").attempted(10).failed(StopReason.EXHAUSTED);
                    assertThat(retries).of("Namesakes.shared").attempted(2).failed(StopReason.BUDGET);
                });
    }

    @Test
    void anOperatorGivesAMethodABudget() {
        thrifty.withPropertyValues("retryon.methods.[" + Stock.class.getName() + "#reserve].budget=gateway")
                .withBean(Stock.class)
                .run(context -> {
                    assertThatExceptionOfType(IOException.class).isThrownBy(context.getBean(Stock.class)::reserve);
                    assertThat(context.getBean(RecordedRetries.class))
                            .of("Stock.reserve")
                            .attempted(2)
                            .failed(StopReason.BUDGET);
                });
    }

    @Test
    void aBudgetThatNobodyKnowsIsAFault() {
        runner.withBean(Payments.class)
                .run(context -> assertThat(Applications.faults(context))
                        .hasSize(2)
                        .extracting(RetryFault::toString)
                        .allMatch(fault -> fault.contains("budget is 'gateway'")
                                && fault.contains("must be 'default', because no budget is configured")));
    }

    @Test
    void anAttemptThatTakesTooLongIsInterruptedAndRetried() {
        runner.withBean(Slow.class).run(context -> {
            assertThatExceptionOfType(AttemptTimeoutException.class).isThrownBy(context.getBean(Slow.class)::blocking);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            assertThat(context.getBean(RecordedRetries.class))
                    .of("Slow.blocking")
                    .attempted(2)
                    .failed(StopReason.EXHAUSTED);
        });
    }

    @Test
    void anAsynchronousAttemptThatTakesTooLongIsCancelledAndRetried() {
        runner.withBean(Slow.class).run(context -> {
            Slow slow = context.getBean(Slow.class);
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> slow.future().get())
                    .withCauseInstanceOf(AttemptTimeoutException.class);
            slow.cancelled().await();
            assertThat(context.getBean(RecordedRetries.class))
                    .of("Slow.future")
                    .attempted(2)
                    .failed(StopReason.EXHAUSTED);
        });
    }

    @Test
    void aPublisherThatTakesTooLongIsCancelledAndRetried() {
        runner.withBean(Slow.class).run(context -> {
            Slow slow = context.getBean(Slow.class);
            assertThatExceptionOfType(AttemptTimeoutException.class)
                    .isThrownBy(() -> slow.mono().block());
            slow.cancelled().await();
        });
    }

    @Test
    void anOperatorLimitsAttempts() {
        runner.withPropertyValues(
                        "retryon.methods.[" + Stock.class.getName() + "#hang].attempt-timeout=20ms",
                        "retryon.methods.[" + Stock.class.getName() + "#hang].max-attempts=1")
                .withBean(Stock.class)
                .run(context -> assertThatExceptionOfType(AttemptTimeoutException.class)
                        .isThrownBy(context.getBean(Stock.class)::hang));
    }

    static class Payments {

        @RetryOn(value = IOException.class, budget = "gateway")
        public String look() {
            return "there";
        }

        @RetryOn(value = IOException.class, budget = "gateway", maxAttempts = 100)
        public String charge() throws IOException {
            throw new IOException("down");
        }
    }

    static class Stock {

        @RetryOn(IOException.class)
        public String look() {
            return "there";
        }

        @RetryOn(value = IOException.class, maxAttempts = 100)
        public String reserve() throws IOException {
            throw new IOException("down");
        }

        @RetryOn(IOException.class)
        public String hang() throws InterruptedException, TimeoutException {
            if (new CountDownLatch(1).await(1, TimeUnit.HOURS)) {
                return "never";
            }
            throw new TimeoutException();
        }
    }

    static class Slow {

        private final CountDownLatch cancelled = new CountDownLatch(2);

        public CountDownLatch cancelled() {
            return cancelled;
        }

        @RetryOn(attemptTimeout = "20ms", maxAttempts = 2)
        public String blocking() throws InterruptedException {
            new CountDownLatch(1).await();
            return "never";
        }

        @RetryOn(attemptTimeout = "20ms", maxAttempts = 2)
        public CompletableFuture<String> future() {
            CompletableFuture<String> never = new CompletableFuture<>();
            never.whenComplete((value, error) -> {
                if (never.isCancelled()) {
                    cancelled.countDown();
                }
            });
            return never;
        }

        @RetryOn(attemptTimeout = "20ms", maxAttempts = 2)
        public Mono<String> mono() {
            return Mono.<String>never().doOnCancel(cancelled::countDown);
        }
    }

    static class Namesakes {

        @RetryOn(exceptions = IOException.class, name = "gateway", maxAttempts = 10)
        void own() throws IOException {
            throw new IOException("down");
        }

        @RetryOn(exceptions = IOException.class, budget = "gateway", maxAttempts = 10)
        void shared() throws IOException {
            throw new IOException("down");
        }
    }
}
