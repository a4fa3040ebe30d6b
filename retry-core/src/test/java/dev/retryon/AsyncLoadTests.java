// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.backoff.Backoff;
import dev.retryon.backoff.Jitter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many asynchronous calls in real time. {@code LoadBenchmark} measures a hundred thousand. */
class AsyncLoadTests {

    private static final int CALLS = 2_000;

    private static final int EXECUTOR_THREADS = 2;

    private static final IOException DOWN = new IOException("down");

    @Test
    @Timeout(120)
    void manyCallsInFlightNeedFewThreads() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        int before = threads.getThreadCount();
        threads.resetPeakThreadCount();
        ExecutorService executor = Executors.newFixedThreadPool(EXECUTOR_THREADS);
        try (RetryEngine engine = RetryEngine.builder().executor(executor).build()) {
            Retry retry = Retry.builder(
                            "load",
                            RetryPolicy.builder()
                                    .retryOn(IOException.class)
                                    .backoff(Backoff.fixed())
                                    .delay(Duration.ofMillis(100))
                                    .jitter(Jitter.none())
                                    .build())
                    .engine(engine)
                    .build();

            Stream.generate(() -> retry.callAsync(AsyncLoadTests::attempt))
                    .limit(CALLS)
                    .toList()
                    .forEach(call -> assertThat(call.join()).isEqualTo(3));

            assertThat(threads.getPeakThreadCount() - before).isLessThanOrEqualTo(EXECUTOR_THREADS + 4);
        } finally {
            executor.shutdown();
        }
    }

    /** The first two fail, the third tells its number. */
    private static CompletableFuture<Integer> attempt() {
        int attempt = RetryContext.current().attempt();
        return attempt < 3 ? CompletableFuture.failedFuture(DOWN) : CompletableFuture.completedFuture(attempt);
    }
}
