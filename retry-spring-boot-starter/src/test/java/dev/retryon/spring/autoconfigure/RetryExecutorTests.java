// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.acme.orders.OrderExecutors;
import dev.retryon.RetryContext;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Where later attempts of asynchronous calls run; the caller's stage fails on a thread of its own. */
@Timeout(120)
class RetryExecutorTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
            .withPropertyValues("retryon.defaults.backoff=none")
            .withBean(Stock.class);

    private final ApplicationContextRunner booted =
            runner.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class));

    @Test
    void onBootsExecutor() {
        booted.run(context -> assertThat(thread(context.getBean(Stock.class))).startsWith("task-"));
    }

    /** JDK 17 has no virtual threads. */
    @Test
    @EnabledForJreRange(min = JRE.JAVA_25)
    void onVirtualThreadsWhereBootHasThem() {
        booted.withPropertyValues(
                        "spring.threads.virtual.enabled=true", "spring.task.execution.thread-name-prefix=virt-")
                .run(context -> assertThat(thread(context.getBean(Stock.class))).startsWith("virt-"));
    }

    @Test
    void onAnExecutorForRetriesBesideBoots() {
        booted.withUserConfiguration(OrderExecutors.class).run(context -> {
            assertThat(context).hasBean("applicationTaskExecutor");
            assertThat(thread(context.getBean(Stock.class))).startsWith("retry-");
        });
    }

    @Test
    void onTheCommonPoolWhereThereIsNoOther() {
        runner.run(context -> assertThat(thread(context.getBean(Stock.class)))
                .as("a thread for each task on machines with one or two processors")
                .matches("ForkJoinPool.commonPool-.*|Thread-.*"));
    }

    private static String thread(Stock stock) throws Exception {
        ExecutorService elsewhere = Executors.newSingleThreadExecutor();
        try {
            return stock.secondThread(elsewhere).get();
        } finally {
            elsewhere.shutdownNow();
        }
    }

    static class Stock {

        @RetryOn(IOException.class)
        public CompletableFuture<String> secondThread(ExecutorService elsewhere) {
            if (RetryContext.current().attempt() == 1) {
                return CompletableFuture.supplyAsync(() -> null, elsewhere)
                        .thenCompose(nothing -> CompletableFuture.failedFuture(new IOException("first")));
            }
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }
    }
}
