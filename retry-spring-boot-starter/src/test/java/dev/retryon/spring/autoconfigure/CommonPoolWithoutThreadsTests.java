// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.AttemptTimeoutException;
import dev.retryon.Retry;
import dev.retryon.RetryPolicy;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** A common pool of parallelism 0 runs nothing, and no application has a thread for it. Such a pool is that of a process. */
@Timeout(180)
@Tag("process")
class CommonPoolWithoutThreadsTests {

    @Test
    void asynchronousCallsAreRetriedWithoutIt() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.util.concurrent.ForkJoinPool.common.parallelism=0",
                        "-Dretryon.defaults.delay=1ms",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Program.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output)
                .contains("stage: at 3")
                .contains("future: at 3")
                .contains("limited: at 3")
                .contains("core: at 3");
    }

    /** Makes one call of each kind, and ends the process with an error if one does not end. */
    static final class Program {

        private Program() {}

        public static void main(String[] arguments) {
            try (AnnotationConfigApplicationContext context =
                    new AnnotationConfigApplicationContext(RetryAutoConfiguration.class, Stock.class)) {
                Stock stock = context.getBean(Stock.class);
                System.out.println("stage: " + stock.stage().get(30, TimeUnit.SECONDS));
                System.out.println("future: " + stock.future().get(30, TimeUnit.SECONDS));
                System.out.println("limited: " + stock.limited().get(30, TimeUnit.SECONDS));
                System.out.println("core: " + core().get(30, TimeUnit.SECONDS));
                System.exit(0);
            } catch (Exception ex) {
                ex.printStackTrace(System.out);
                System.exit(1);
            }
        }

        private static CompletableFuture<String> core() {
            RetryPolicy policy = RetryPolicy.builder()
                    .retryOn(IOException.class)
                    .delay(Duration.ofMillis(1))
                    .build();
            Stock stock = new Stock();
            return Retry.of("core", policy).callAsync(stock::stage);
        }
    }

    static class Stock {

        /** Not the common pool, which would not even make the first attempts. */
        private static final Executor ELSEWHERE = task -> {
            Thread thread = new Thread(task, "elsewhere");
            thread.setDaemon(true);
            thread.start();
        };

        private final AtomicInteger attempts = new AtomicInteger();

        @RetryOn(IOException.class)
        public CompletableFuture<String> stage() {
            CompletableFuture<String> stage = new CompletableFuture<>();
            ELSEWHERE.execute(() -> {
                int attempt = attempts.incrementAndGet();
                if (attempt < 3) {
                    stage.completeExceptionally(new IOException("down"));
                } else {
                    stage.complete("at " + attempt);
                }
            });
            return stage;
        }

        private final AtomicInteger tasks = new AtomicInteger();

        @RetryOn(IOException.class)
        public Future<String> future() {
            FutureTask<String> task = new FutureTask<>(() -> {
                int attempt = tasks.incrementAndGet();
                if (attempt < 3) {
                    throw new IOException("down");
                }
                return "at " + attempt;
            });
            ELSEWHERE.execute(task);
            return task;
        }

        private final AtomicInteger limited = new AtomicInteger();

        /** Attempts that never complete are ended by their limit. */
        @RetryOn(value = AttemptTimeoutException.class, attemptTimeout = "20ms")
        public CompletableFuture<String> limited() {
            int attempt = limited.incrementAndGet();
            return attempt < 3 ? new CompletableFuture<>() : CompletableFuture.completedFuture("at " + attempt);
        }
    }
}
