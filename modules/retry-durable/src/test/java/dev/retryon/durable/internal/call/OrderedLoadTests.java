// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.autoconfigure.RetryDurableAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.durable.internal.call.EachDatabaseTests.Product;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.durable.internal.store.TestServer;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Two processes store ordered calls in transactions, of which a third is rolled back, and run them, while both are ended with
 * {@code kill -9} again and again. On H2 and SQLite, one process does so until it ends. {@code -Dordered.transactions=20000}
 * and {@code -Dordered.kills=5} make a longer run, with {@code -Djunit.jupiter.execution.timeout.mode=disabled}.
 */
@Tag("database")
@Tag("process")
@Tag("endurance")
class OrderedLoadTests {

    private static final int TRANSACTIONS = Integer.getInteger("ordered.transactions", 600);

    private static final int KEYS = 200;

    private static final int KILLS = Integer.getInteger("ordered.kills", 3);

    private static final int THREADS = 4;

    private static final Duration PATIENCE = Duration.ofMinutes(5).plusMillis(100L * TRANSACTIONS);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource
    void callsOfAKeyHaveTheirEffectsInTheOrderOfCommits(TestServer server) throws Exception {
        run(server, 1);
    }

    @ParameterizedTest
    @EnumSource
    void callsOfSeveralKeysInATransactionDoSo(TestServer server) throws Exception {
        run(server, 3);
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "SQLITE"})
    void callsOfOneProcessDoSo(Product product) {
        DurableTrial.inMemory()
                .withUserConfiguration(Application.OnServer.class)
                .withPropertyValues(
                        "spring.datasource.url=" + product.url(folder),
                        // SQLite's driver cannot use a connection again whose transaction could not begin in time.
                        "spring.datasource.hikari.maximum-pool-size=" + (product == Product.SQLITE ? 1 : 10),
                        "retryon.jdbc.initialize-schema=always",
                        "retryon.durable.threads=" + THREADS)
                .run(context -> {
                    JdbcTemplate jdbc = tables(
                            context.getBean(DataSource.class),
                            product == Product.SQLITE
                                    ? "integer primary key autoincrement"
                                    : "bigint auto_increment primary key");
                    CompletableFuture<?>[] callers = Stream.generate(() -> OrderedCallsTests.caller(
                                    () -> Application.call(context, 1, () -> calls(jdbc) < TRANSACTIONS)))
                            .limit(THREADS)
                            .toArray(CompletableFuture[]::new);
                    CompletableFuture.allOf(callers).join();
                    awaitEnd(context);
                    check(jdbc, 1, 0);
                });
    }

    private void run(TestServer server, int keys) throws Exception {
        String url = server.database();
        JdbcTemplate jdbc = tables(
                new DriverManagerDataSource(url),
                server == TestServer.POSTGRESQL ? "bigserial primary key" : "bigint auto_increment primary key");
        List<String> properties = List.of(
                "spring.datasource.url=" + url,
                "retryon.jdbc.initialize-schema=always",
                "retryon.durable.threads=" + THREADS,
                "retryon.durable.poll-interval=200ms",
                "retryon.durable.heartbeat-interval=1s",
                "retryon.defaults.delay=5ms",
                // Otherwise, MariaDB 11.8 rejects statements of the callers whose rows have changed since they began.
                "spring.datasource.hikari.connection-init-sql="
                        + (server == TestServer.MARIADB
                                ? "set /*M!110402 innodb_snapshot_isolation = off, */ autocommit = 1"
                                : ""),
                "trial.keys=" + keys);
        Random random = new Random(7);
        List<ChildProcess> children = new ArrayList<>();
        try {
            children.add(start("a", properties));
            children.add(start("b", properties));
            for (int kill = 1; kill <= KILLS; kill++) {
                // Two of three transactions commit one or two calls of each key.
                int committed = TRANSACTIONS * keys * kill / KILLS;
                await().atMost(PATIENCE).pollInterval(Duration.ofMillis(100)).until(() -> {
                    for (ChildProcess child : children) {
                        assertThat(child.isAlive()).as(child.output()).isTrue();
                    }
                    return calls(jdbc) >= committed;
                });
                children.remove(kill % 2).killAfter(random.nextInt(200));
                if (kill < KILLS) {
                    children.add(kill % 2, start("process" + kill, properties));
                }
            }
        } finally {
            for (ChildProcess child : children) {
                child.close();
            }
        }
        DurableTrial.inMemory()
                .withPropertyValues("spring.datasource.url=" + url, "retryon.durable.heartbeat-interval=1s")
                .withBean(Effects.class, () -> new Effects(jdbc, "last"))
                .run(context -> {
                    awaitEnd(context);
                    assertThat(count(jdbc, "select count(*) from " + RetryStore.ORDERS))
                            .isPositive();
                });
        check(jdbc, keys, (KILLS + 1) * THREADS);
    }

    /** Creates the tables in which callers count their calls, and calls have their effects. */
    private static JdbcTemplate tables(DataSource database, String identity) {
        JdbcTemplate jdbc = new JdbcTemplate(database);
        jdbc.execute("create table placed (k integer, n integer, text varchar(50), primary key (k, n))");
        jdbc.execute("create table numbers (k integer primary key, n integer)");
        for (int key = 0; key < KEYS; key++) {
            jdbc.update("insert into numbers (k, n) values (?, 0)", key);
        }
        jdbc.execute("create table effect (number " + identity + ", k integer, text varchar(50), process varchar(50))");
        jdbc.execute("create table deadlock (number " + identity + ", message varchar(200))");
        return jdbc;
    }

    /** How many calls have been committed. */
    private static long calls(JdbcTemplate jdbc) {
        return count(jdbc, "select sum(n) from numbers");
    }

    private static void awaitEnd(ApplicationContext context) {
        StoredCalls calls = context.getBean(StoredCalls.class);
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> calls.count(StoredCalls.Filter.of(State.WAITING, State.RUNNING, State.BLOCKED)) == 0);
        assertThat(calls.count(StoredCalls.Filter.ALL)).isZero();
    }

    private ChildProcess start(String name, List<String> properties) throws IOException {
        return ChildProcess.start(Application.class, folder, name, properties);
    }

    private static long count(JdbcTemplate jdbc, String query) {
        return jdbc.queryForObject(query, Long.class);
    }

    private static void check(JdbcTemplate jdbc, int keys, int mostRepeated) {
        Map<Integer, List<String>> placed = texts(jdbc, "select k, text from placed order by k, n");
        Map<Integer, List<String>> effects = texts(jdbc, "select k, text from effect order by k, number");
        int repeated = 0;
        for (Map.Entry<Integer, List<String>> key : effects.entrySet()) {
            List<String> all = key.getValue();
            // A repeated effect follows the first one, because the calls behind it were blocked.
            List<String> once = new ArrayList<>();
            for (String text : all) {
                if (once.isEmpty() || !once.get(once.size() - 1).equals(text)) {
                    once.add(text);
                }
            }
            assertThat(new LinkedHashSet<>(once)).as("key " + key.getKey()).hasSameSizeAs(once);
            assertThat(once).as("key " + key.getKey()).isEqualTo(placed.get(key.getKey()));
            repeated += all.size() - once.size();
        }
        assertThat(effects.keySet()).isEqualTo(placed.keySet());
        long deadlocks = count(jdbc, "select count(*) from deadlock");
        System.out.printf(
                "%d keys in a transaction: %d calls of %d keys, %d repeated, %d transactions lost to deadlocks%n",
                keys, placed.values().stream().mapToInt(List::size).sum(), placed.size(), repeated, deadlocks);
        assertThat(repeated).isLessThanOrEqualTo(mostRepeated);
    }

    private static Map<Integer, List<String>> texts(JdbcTemplate jdbc, String query) {
        Map<Integer, List<String>> texts = new LinkedHashMap<>();
        jdbc.query(query, row -> {
            texts.computeIfAbsent(row.getInt("k"), missing -> new ArrayList<>()).add(row.getString("text"));
        });
        return texts;
    }

    static class Effects {

        private final JdbcTemplate jdbc;

        private final String process;

        Effects(JdbcTemplate jdbc, String process) {
            this.jdbc = jdbc;
            this.process = process;
        }

        /** One of five attempts fails. */
        @RetryOn(exceptions = UncheckedIOException.class, maxAttempts = 1000, delay = "5ms", maxDelay = "20ms")
        @Durable(value = OUTBOX, orderKey = "#key")
        public void happen(int key, String text) {
            if (ThreadLocalRandom.current().nextInt(5) == 0) {
                throw new UncheckedIOException(new IOException("down"));
            }
            jdbc.update("insert into effect (k, text, process) values (?, ?, ?)", key, text, process);
        }
    }

    /** A process that stores ordered calls and runs them until it is killed. */
    static final class Application {

        private Application() {}

        @Configuration(proxyBeanMethods = false)
        @ImportAutoConfiguration({
            AopAutoConfiguration.class,
            DataSourceAutoConfiguration.class,
            DataSourceTransactionManagerAutoConfiguration.class,
            TransactionAutoConfiguration.class,
            RetryDurableCoreAutoConfiguration.class,
            RetryAutoConfiguration.class,
            RetryDurableAutoConfiguration.class
        })
        static class OnServer {

            @Bean
            Effects effects(DataSource dataSource) {
                return new Effects(
                        new JdbcTemplate(dataSource),
                        String.valueOf(ProcessHandle.current().pid()));
            }
        }

        public static void main(String[] arguments) {
            ConfigurableApplicationContext context = new SpringApplicationBuilder(OnServer.class)
                    .web(WebApplicationType.NONE)
                    .run(arguments);
            int keys = context.getEnvironment().getRequiredProperty("trial.keys", int.class);
            for (int caller = 0; caller < THREADS; caller++) {
                new Thread(() -> call(context, keys, () -> true)).start();
            }
        }

        /** Stores calls while a condition is true. */
        static void call(ApplicationContext context, int keys, BooleanSupplier more) {
            Effects effects = context.getBean(Effects.class);
            JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
            TransactionTemplate transactions =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            while (more.getAsBoolean()) {
                place(effects, jdbc, transactions, keys);
            }
        }

        private static void place(Effects effects, JdbcTemplate jdbc, TransactionTemplate transactions, int keys) {
            Random random = ThreadLocalRandom.current();
            try {
                transactions.executeWithoutResult(status -> {
                    for (int i = 0; i < keys; i++) {
                        place(effects, jdbc, random.nextInt(KEYS), 1 + random.nextInt(2));
                    }
                    if (random.nextInt(3) == 0) {
                        status.setRollbackOnly();
                    }
                });
            } catch (ConcurrencyFailureException ex) {
                String message = String.valueOf(ex.getMessage());
                jdbc.update(
                        "insert into deadlock (message) values (?)",
                        message.substring(0, Math.min(200, message.length())));
            }
        }

        /** Numbers the calls of a key in the order of commits, because the row of the number is locked after the key. */
        private static void place(Effects effects, JdbcTemplate jdbc, int key, int calls) {
            for (int call = 0; call < calls; call++) {
                String text = UUID.randomUUID().toString();
                effects.happen(key, text);
                jdbc.update("update numbers set n = n + 1 where k = ?", key);
                Integer number = jdbc.queryForObject("select n from numbers where k = ?", Integer.class, key);
                jdbc.update("insert into placed (k, n, text) values (?, ?, ?)", key, number, text);
            }
        }
    }
}
