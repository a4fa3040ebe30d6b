// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.style;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.AttemptTimeoutException;
import dev.retryon.RetryContext;
import dev.retryon.StopReason;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.VirtualTimeBeans;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.test.RecordedRetries;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

/** {@code @Async} and {@code @RetryOn} on one method: one hand-over to the pool, and all attempts there. */
@Timeout(120)
class AsyncAnnotationTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
            .withUserConfiguration(VirtualTimeBeans.class, Application.class);

    @Test
    void makesAllAttemptsOnTheOneThreadThatAsyncHolds() {
        runner.run(context -> {
            Mails mails = context.getBean(Mails.class);
            assertThat(mails.send(2).get()).isEqualTo("attempt 3");
            assertThat(mails.threads()).containsExactly("mail", "mail", "mail");
            assertThat(context.getBean(RecordedRetries.class))
                    .of("Mails.send")
                    .attempted(3)
                    .succeeded();
        });
    }

    @Test
    void retriesAStageThatFailsLater() {
        runner.run(context -> {
            Mails mails = context.getBean(Mails.class);
            assertThat(mails.sendElsewhere(2).get()).isEqualTo("attempt 3");
        });
    }

    @Test
    void retriesPlainFutures() {
        runner.run(context -> {
            Mails mails = context.getBean(Mails.class);
            assertThat(mails.sendPlain(2).get()).isEqualTo("attempt 3");
        });
    }

    @Test
    void retriesMethodsThatReturnNothing() {
        runner.run(context -> {
            Mails mails = context.getBean(Mails.class);
            mails.post(2);
            mails.posted().await();
            assertThat(mails.threads()).containsExactly("mail", "mail", "mail");
        });
    }

    @Test
    void failsTheFutureWithTheLastError() {
        runner.run(context -> {
            Mails mails = context.getBean(Mails.class);
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> mails.send(9).get())
                    .havingCause()
                    .isExactlyInstanceOf(IOException.class)
                    .withMessage("failure 3");
            assertThat(context.getBean(RecordedRetries.class)).of("Mails.send").failed(StopReason.EXHAUSTED);
        });
    }

    @Test
    void limitsAttempts() {
        runner.run(context -> {
            Mails mails = context.getBean(Mails.class);
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> mails.never().get())
                    .withCauseInstanceOf(AttemptTimeoutException.class);
            assertThat(mails.hanging()).hasSize(2).allMatch(CompletableFuture::isCancelled);
        });
    }

    @Test
    void recoversWithAFutureOrAValue() {
        runner.run(context -> {
            Mails mails = context.getBean(Mails.class);
            assertThat(mails.recovered().get()).isEqualTo("later, EXHAUSTED");
        });
    }

    @Test
    void preparesRetriesOnTheThreadThatAsyncHolds() {
        runner.run(context -> {
            Mails mails = context.getBean(Mails.class);
            assertThat(mails.prepared(1).get()).isEqualTo("attempt 2");
            assertThat(mails.threads()).containsExactly("mail", "before 2 on mail", "mail");
        });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Application {

        /** Both the pool of {@code @Async} and that of later attempts: waiting for each other would be for ever. */
        @Bean(
                name = {"applicationTaskExecutor", "taskExecutor"},
                destroyMethod = "shutdownNow")
        ExecutorService applicationTaskExecutor() {
            return Executors.newSingleThreadExecutor(task -> new Thread(task, "mail"));
        }

        @Bean
        Mails mails() {
            return new Mails();
        }
    }

    static class Mails {

        private final List<String> threads = new CopyOnWriteArrayList<>();

        private final List<CompletableFuture<String>> hanging = new CopyOnWriteArrayList<>();

        private final CountDownLatch posted = new CountDownLatch(1);

        public List<String> threads() {
            return threads;
        }

        public List<CompletableFuture<String>> hanging() {
            return hanging;
        }

        public CountDownLatch posted() {
            return posted;
        }

        @Async
        @RetryOn(IOException.class)
        public CompletableFuture<String> send(int failures) throws IOException {
            return CompletableFuture.completedFuture(attempt(failures));
        }

        @Async
        @RetryOn(IOException.class)
        public CompletableFuture<String> sendElsewhere(int failures) {
            int attempt = RetryContext.current().attempt();
            return CompletableFuture.supplyAsync(() -> attempt)
                    .thenCompose(number -> number <= failures
                            ? CompletableFuture.failedFuture(new IOException("failure " + number))
                            : CompletableFuture.completedFuture("attempt " + number));
        }

        @Async
        @RetryOn(IOException.class)
        public Future<String> sendPlain(int failures) {
            FutureTask<String> task = new FutureTask<>(() -> attempt(failures));
            task.run();
            return task;
        }

        @Async
        @RetryOn(IOException.class)
        public void post(int failures) throws IOException {
            attempt(failures);
            posted.countDown();
        }

        @Async
        @RetryOn(value = IOException.class, attemptTimeout = "20ms", maxAttempts = 2)
        public CompletableFuture<String> never() {
            CompletableFuture<String> never = new CompletableFuture<>();
            hanging.add(never);
            return never;
        }

        @Async
        @RetryOn(value = IOException.class, recover = "later")
        public CompletableFuture<String> recovered() throws IOException {
            throw new IOException("always");
        }

        public CompletableFuture<String> later(IOException error, RetryContext context) {
            return CompletableFuture.completedFuture("later, " + context.stopReason());
        }

        @Async
        @RetryOn(value = IOException.class, beforeRetry = "prepare")
        public CompletableFuture<String> prepared(int failures) throws IOException {
            return CompletableFuture.completedFuture(attempt(failures));
        }

        void prepare(RetryContext context) {
            threads.add("before " + context.attempt() + " on "
                    + Thread.currentThread().getName());
        }

        private String attempt(int failures) throws IOException {
            threads.add(Thread.currentThread().getName());
            int attempt = RetryContext.current().attempt();
            if (attempt <= failures) {
                throw new IOException("failure " + attempt);
            }
            return "attempt " + attempt;
        }
    }
}
