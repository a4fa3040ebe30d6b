// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.Durable;
import dev.retryon.durable.internal.call.EachDatabaseTests.Product;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.invocation.MethodHash;
import dev.retryon.durable.internal.store.CallLines;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** One key with many calls, and many keys that a dead letter blocks, do not slow down other calls. */
@Tag("database")
@Tag("endurance")
class ManyBlockedCallsTests {

    /** 2 to the power of this. {@code -Dblocked.doublings=17} sets it. */
    private static final int DOUBLINGS = Integer.getInteger("blocked.doublings", 16);

    private static final int BLOCKED = 1 << DOUBLINGS;

    private static final int RUNNING = 1000;

    private static final int LIMIT = 5;

    /** An index entry for each step, and those of the calls. */
    private static final int MOST_ROWS = 40;

    private static final String COLUMNS = "task_data, execution_time, picked, version, name, attempt, started_at, lane,"
            + " method_hash, state, method, died_at";

    private final Jobs jobs = new Jobs();

    @TempDir
    private Path folder;

    private ApplicationContextRunner application(Product product) {
        return DurableTrial.inMemory()
                .withPropertyValues(
                        "spring.datasource.url=" + product.url(folder), "retryon.jdbc.initialize-schema=always")
                .withBean(Jobs.class, () -> jobs);
    }

    @ParameterizedTest
    @EnumSource
    void areNotReadWhenOthersRun(Product product) {
        application(product).run(context -> {
            context.getBean(DurableLifecycle.class).stop();
            RetryStore store = DurableTrial.store(context);
            JdbcTemplate jdbc = new JdbcTemplate(store.dataSource());
            jdbc.setQueryTimeout(120);
            String hot = blockOneKey(context.getBean(Jobs.class), jdbc);
            blockManyKeys(jdbc);
            analyze(product, jdbc);
            for (int i = 0; i < RUNNING; i++) {
                context.getBean(Jobs.class).work("work " + i);
            }

            assertThat(rowsOfALook(product, context)).isLessThan(MOST_ROWS);
            assertThat(rowsOfAPlace(product, store, hot)).isLessThan(MOST_ROWS);
            assertThat(rowsOfAnAdvance(product, store, hot)).isLessThan(MOST_ROWS);

            CallStore.Blocked blocked = timed(
                    product, "count", () -> context.getBean(CallStore.class).blocked());
            assertThat(blocked.keys()).isEqualTo(BLOCKED + 1);
            timed(product, "repair", () -> {
                store.lines().repair();
                return blocked;
            });
            assertThat(context.getBean(CallStore.class).blocked()).isEqualTo(blocked);
            timed(product, RUNNING + " calls", () -> {
                context.getBean(DurableLifecycle.class).start();
                await().until(() -> jobs.worked.get() == RUNNING);
                return blocked;
            });
            await().until(() -> jobs.ordered.get() > 1);
            context.getBean(DurableLifecycle.class).stop();
        });
    }

    /** Returns the key. */
    private static String blockOneKey(Jobs bean, JdbcTemplate jdbc) {
        bean.order("hot");
        bean.order("hot");
        String hot = jdbc.queryForObject("select order_key from retryon_order", String.class);
        for (int i = 0; i < DOUBLINGS; i++) {
            jdbc.update("insert into retryon_call (task_instance, order_number, order_key, task_name, " + COLUMNS
                    + ") select concat('" + (char) ('a' + i) + "', task_instance), order_number + " + (1 << i)
                    + ", order_key, task_name, " + COLUMNS + " from retryon_call where state = 'BLOCKED'");
        }
        jdbc.update("update retryon_order set last_number = (select max(order_number) from retryon_call), last_id ="
                + " (select task_instance from retryon_call order by order_number desc limit 1)");
        return hot;
    }

    private static void blockManyKeys(JdbcTemplate jdbc) {
        String first = "insert into retryon_call (task_instance, order_number, order_key, task_name, " + COLUMNS
                + ") select 'first', 1, '-', task_name, task_data, execution_time, picked, version, name, attempt,"
                + " started_at, lane, method_hash, 'DEAD', name, started_at from retryon_call where state = 'WAITING'";
        jdbc.update(first);
        jdbc.update(first.replace("'first', 1", "'second', 2")
                .replace("'DEAD', name, started_at", "'BLOCKED', name, null"));
        for (int i = 0; i < DOUBLINGS; i++) {
            String prefix = "concat('" + (char) ('a' + i) + "', ";
            jdbc.update("insert into retryon_call (task_instance, order_number, order_key, task_name, " + COLUMNS
                    + ") select " + prefix + "task_instance), order_number, " + prefix + "order_key), task_name, "
                    + COLUMNS
                    + " from retryon_call where order_key like '%-'");
        }
    }

    /** As the servers do by themselves sooner or later. */
    static void analyze(Product product, JdbcTemplate jdbc) {
        switch (product) {
            case POSTGRESQL -> jdbc.execute("analyze retryon_call");
            case MARIADB, MYSQL -> jdbc.queryForList("analyze table retryon_call");
            case H2, SQLITE -> {}
        }
    }

    private static long rowsOfALook(Product product, ApplicationContext context) {
        RetryStore store = DurableTrial.store(context);
        CallTable table = new CallTable(store);
        DueCalls.Range range = new DueCalls.Range(
                new DueCalls.Kind(Lanes.DEFAULT, MethodHash.of(Jobs.class.getName() + "#work(java.lang.String)")),
                Instant.EPOCH,
                Instant.now());
        return ManyPausedCallsTests.rowsOf(product, store, () -> {
            assertThat(table.kinds(lane -> true)).hasSize(2);
            assertThat(table.find(List.of(range), LIMIT)).hasSize(LIMIT);
        });
    }

    private static long rowsOfAPlace(Product product, RetryStore store, String hot) {
        return ManyPausedCallsTests.rowsOf(product, store, () -> {
            CallLines.Place place = store.lines().place(hot, "another");
            assertThat(place.number()).isEqualTo(BLOCKED + 2);
            store.lines().enter(place, "another");
        });
    }

    private static long rowsOfAnAdvance(Product product, RetryStore store, String hot) {
        return ManyPausedCallsTests.rowsOf(product, store, () -> store.lines().advance(hot));
    }

    private static CallStore.Blocked timed(Product product, String what, Supplier<CallStore.Blocked> work) {
        long begin = System.nanoTime();
        CallStore.Blocked result = work.get();
        System.out.println(product + ": " + what + " beside " + 2 * BLOCKED + " blocked calls in "
                + Duration.ofNanos(System.nanoTime() - begin).toMillis() + " ms");
        return result;
    }

    @RetryOn(IOException.class)
    static class Jobs {

        private final AtomicInteger worked = new AtomicInteger();

        private final AtomicInteger ordered = new AtomicInteger();

        @Durable(OUTBOX)
        public void work(String id) {
            worked.incrementAndGet();
        }

        @Durable(value = OUTBOX, orderKey = "#id")
        public void order(String id) {
            ordered.incrementAndGet();
        }
    }
}
