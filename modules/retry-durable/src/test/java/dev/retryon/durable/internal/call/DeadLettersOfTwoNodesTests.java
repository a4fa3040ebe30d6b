// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.store.TestPostgres;
import dev.retryon.durable.internal.store.TestServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Two nodes keep dead letters in one database, from transactions that hold every connection of their pools. The number of
 * letters is {@code -Ddurability.letters=20000}, 2,000 by default.
 */
@Tag("database")
class DeadLettersOfTwoNodesTests {

    private static final int LETTERS = Integer.getInteger("durability.letters", 2000);

    /** Callers of each node. */
    private static final int CALLERS = 20;

    @TempDir
    private Path folder;

    @Test
    @Tag("endurance")
    void keepsEachOnPostgres() {
        keepsEach(TestPostgres.database());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "POSTGRESQL")
    void keepsEach(TestServer server) {
        keepsEach(server.database());
    }

    private void keepsEach(String url) {
        Journal journal = new Journal(folder.resolve("journal"), "node");
        ApplicationContextRunner node = DurableTrial.inMemory()
                .withPropertyValues(
                        "spring.datasource.url=" + url,
                        "spring.datasource.hikari.maximum-pool-size=10",
                        "retryon.jdbc.initialize-schema=always")
                .withBean(Orders.class, () -> new Orders(journal));
        node.run(one -> node.run(two -> {
            ExecutorService callers = Executors.newFixedThreadPool(2 * CALLERS);
            AtomicInteger next = new AtomicInteger();
            for (int caller = 0; caller < CALLERS; caller++) {
                callers.execute(() -> keepAll(one, next));
                callers.execute(() -> keepAll(two, next));
            }
            callers.shutdown();
            assertThat(callers.awaitTermination(5, TimeUnit.MINUTES)).isTrue();

            assertThat(one.getBean(CallStore.class).count(StoredCalls.Filter.ALL))
                    .isEqualTo(LETTERS);
        }));
    }

    private static void keepAll(ApplicationContext node, AtomicInteger next) {
        Orders orders = node.getBean(Orders.class);
        TransactionTemplate transaction = new TransactionTemplate(node.getBean(PlatformTransactionManager.class));
        for (int i = next.getAndIncrement(); i < LETTERS; i = next.getAndIncrement()) {
            String order = Orders.order(2, String.valueOf(i));
            transaction.executeWithoutResult(status -> {
                try {
                    orders.keep(order);
                } catch (IOException ex) {
                    status.setRollbackOnly();
                }
            });
        }
    }
}
