// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.call.EachDatabaseTests.Product;
import dev.retryon.durable.internal.invocation.MethodHash;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.control.RuntimeSettings;
import dev.retryon.spring.module.RuntimeChange;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** Many paused calls do not slow those down that run, although they are due earlier. Neither do many dead ones. */
@Tag("database")
@Tag("endurance")
class ManyPausedCallsTests {

    private static final RuntimeChange.Target PAY =
            new RuntimeChange.Target(RuntimeChange.Scope.NAME, "Jobs.pay", false);

    /** 2 to the power of this. {@code -Dpaused.doublings=20} sets it. */
    private static final int DOUBLINGS = Integer.getInteger("paused.doublings", 17);

    private static final int RUNNING = 1000;

    private static final int LIMIT = 5;

    /** An index entry for each step, and those of the calls. */
    private static final int MOST_ROWS = 40;

    private static final int PAGE = 50;

    private static final Pattern SCANNED = Pattern.compile("scanCount: (\\d+)");

    private final Jobs jobs = new Jobs();

    @TempDir
    private Path folder;

    private ApplicationContextRunner application(Product product) {
        return DurableTrial.inMemory()
                .withPropertyValues(
                        "spring.datasource.url=" + product.url(folder),
                        "retryon.jdbc.initialize-schema=always",
                        "retryon.dead-letter.timeout=2m")
                .withBean(Jobs.class, () -> jobs);
    }

    @ParameterizedTest
    @EnumSource
    void areNeitherReadNorLeasedUntilTheyAreResumed(Product product) {
        application(product).run(context -> {
            context.getBean(DurableLifecycle.class).stop();
            RuntimeSettings settings = context.getBean(RuntimeSettings.class);
            settings.change(PAY, Map.of("paused", "true"), null, "operator");
            Jobs bean = context.getBean(Jobs.class);
            bean.pay("first");
            JdbcTemplate jdbc = new JdbcTemplate(DurableTrial.store(context).dataSource());
            jdbc.setQueryTimeout(600);
            copy(jdbc, "concat('-', task_instance)", "'DEAD', 'EXHAUSTED', started_at, started_at");
            for (int i = 0; i < DOUBLINGS; i++) {
                copy(
                        jdbc,
                        "concat('" + (char) ('a' + i) + "', task_instance)",
                        "state, reason, first_failed_at, died_at");
            }
            ManyBlockedCallsTests.analyze(product, jdbc);
            for (int i = 0; i < RUNNING; i++) {
                bean.work("work " + i);
            }
            long paused = DurableTrial.stored(context) - RUNNING;

            assertThat(rowsOfALook(product, context)).isLessThan(MOST_ROWS);
            assertThat(rowsOfAPage(product, context, StoredCall.State.DEAD)).isLessThan(PAGE * 2);
            if (product == Product.MARIADB || product == Product.MYSQL) {
                assertThat(rowsOfAPage(product, context, StoredCall.State.WAITING))
                        .as("without dead letters")
                        .isLessThan(paused + 2 * RUNNING);
            }
            printReadings(product, context);

            long begin = System.nanoTime();
            context.getBean(DurableLifecycle.class).start();
            await().until(() -> jobs.worked.get() == RUNNING);
            System.out.println(product + ": " + RUNNING + " calls behind " + paused + " paused ones in "
                    + Duration.ofNanos(System.nanoTime() - begin).toMillis() + " ms");
            await().until(() -> DurableTrial.stored(context) == paused);
            assertThat(jdbc.queryForObject("select max(version) from retryon_call", Long.class))
                    .isOne();

            settings.takeBack(PAY, "operator");
            await().atMost(Duration.ofSeconds(1)).until(() -> jobs.paid.get() > 0);
            context.getBean(DurableLifecycle.class).stop();
        });
    }

    private static void copy(JdbcTemplate jdbc, String id, String state) {
        String columns =
                ", task_name, task_data, execution_time, picked, version, name, attempt, started_at, lane, method_hash";
        jdbc.update("insert into retryon_call (task_instance, state, reason, first_failed_at, died_at" + columns
                + ") select " + id + ", " + state + columns + " from retryon_call");
    }

    private static long rowsOfAPage(Product product, ApplicationContext context, StoredCall.State state) {
        RetryStore store = DurableTrial.store(context);
        return rowsOf(
                product,
                store,
                () -> assertThat(store.calls()
                                .list(StoredCalls.Filter.of(state), null, PAGE)
                                .calls())
                        .hasSize(PAGE));
    }

    /** Prints what counts and lists of many calls cost, with the rows that servers read. */
    private static void printReadings(Product product, ApplicationContext context) {
        RetryStore store = DurableTrial.store(context);
        StoredCalls.Filter waiting = StoredCalls.Filter.of(StoredCall.State.WAITING, StoredCall.State.RUNNING);
        StoredCalls.Filter dead = StoredCalls.Filter.of(StoredCall.State.DEAD);
        Map<String, Runnable> readings = new LinkedHashMap<>();
        readings.put("count for gauges", () -> new CallTable(store).backlog());
        readings.put("totals of dead letters", () -> store.calls().totals());
        readings.put("page of waiting calls", () -> store.calls().list(waiting, null, PAGE));
        readings.put("count of waiting calls", () -> store.calls().count(waiting));
        readings.put("groups of waiting calls", () -> store.calls().groups(waiting, PAGE));
        readings.put("page of dead letters", () -> store.calls().list(dead, null, PAGE));
        readings.put("count of dead letters", () -> store.calls().count(dead));
        readings.put("groups of dead letters", () -> store.calls().groups(dead, PAGE));
        readings.forEach((name, reading) -> {
            long begin = System.nanoTime();
            long rows = rowsOf(product, store, reading);
            System.out.println(product + ": " + name + ": " + rows + " rows in "
                    + Duration.ofNanos(System.nanoTime() - begin).toMillis() + " ms");
        });
    }

    /** Returns how many rows are read meanwhile, as the database counts them. */
    static long rowsOf(Product product, RetryStore store, Runnable work) {
        return store.write(() -> {
            long before = rowsRead(product, store.template());
            work.run();
            return rowsRead(product, store.template()) - before;
        });
    }

    /** Returns how many rows a complete look reads, as the database counts them. */
    private static long rowsOfALook(Product product, ApplicationContext context) {
        RetryStore store = DurableTrial.store(context);
        CallTable table = new CallTable(store);
        DueCalls.Range range = new DueCalls.Range(
                new DueCalls.Kind(Lanes.DEFAULT, MethodHash.of(Jobs.class.getName() + "#work(java.lang.String)")),
                Instant.EPOCH,
                Instant.now());
        if (product == Product.H2) {
            return store.write(() -> scanned(table, range, store.template()));
        }
        return rowsOf(product, store, () -> {
            assertThat(table.kinds(lane -> true)).hasSize(2);
            assertThat(table.find(List.of(range), LIMIT)).hasSize(LIMIT);
        });
    }

    private static long rowsRead(Product product, JdbcTemplate jdbc) {
        return switch (product) {
            case POSTGRESQL ->
                sum(jdbc.queryForList(
                        "select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) from pg_stat_xact_user_tables"
                                + " where relname = 'retryon_call'",
                        Long.class));
            case MARIADB, MYSQL ->
                sum(jdbc.query("show session status like 'Handler_read%'", (row, number) -> row.getLong(2)));
            // EmbeddedEngineTests looks at the plans of SQLite.
            case H2, SQLITE -> 0;
        };
    }

    private static long sum(List<Long> counts) {
        return counts.stream().mapToLong(Long::longValue).sum();
    }

    /** H2 counts only the rows of a statement that it explains. */
    private static long scanned(CallTable table, DueCalls.Range range, JdbcTemplate jdbc) {
        long rows = 0;
        jdbc.execute("set query_statistics true");
        assertThat(table.kinds(lane -> true)).hasSize(2);
        assertThat(table.find(List.of(range), LIMIT)).hasSize(LIMIT);
        List<String> looks = jdbc.queryForList(
                "select sql_statement from information_schema.query_statistics where sql_statement like '%from retryon_call%'"
                        + " and sql_statement not like '%query_statistics%'",
                String.class);
        assertThat(looks).hasSize(4);
        for (String sql : looks) {
            Object[] all = {range.kind().lane(), range.kind().method(), range.from(), range.to()};
            // After the paused calls.
            String paused = MethodHash.of(Jobs.class.getName() + "#pay(java.lang.String)") + '\u0000';
            Object[] values = sql.contains("between")
                    ? all
                    : sql.contains("lane = ?") ? new Object[] {all[0], paused} : new Object[] {all[0] + "\u0000"};
            String plan = String.valueOf(jdbc.queryForObject("explain analyze " + sql, String.class, values));
            Matcher counts = SCANNED.matcher(plan);
            while (counts.find()) {
                rows += Long.parseLong(counts.group(1));
            }
        }
        return rows;
    }

    @RetryOn(IOException.class)
    @Durable(OUTBOX)
    static class Jobs {

        private final AtomicInteger worked = new AtomicInteger();

        private final AtomicInteger paid = new AtomicInteger();

        public void work(String id) {
            worked.incrementAndGet();
        }

        public void pay(String id) {
            paid.incrementAndGet();
        }
    }
}
