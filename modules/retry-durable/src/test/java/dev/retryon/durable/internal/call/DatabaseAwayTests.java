// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.internal.call.DurableTrial.await;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariDataSource;
import dev.retryon.ExtensionErrorListener;
import dev.retryon.durable.internal.call.Journal.Event;
import dev.retryon.durable.internal.call.Journal.Line;
import dev.retryon.durable.internal.store.TestPostgres;
import dev.retryon.durable.internal.store.TestServer;
import dev.retryon.spring.autoconfigure.RetryMetricsAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryTelemetryAutoConfiguration;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionException;

/** A database that is not there for a while, or takes nothing. No call is lost without its caller hearing of it. */
@ExtendWith(OutputCaptureExtension.class)
@Tag("database")
class DatabaseAwayTests {

    private static final int CALLERS = 3;

    /** For so long the server is away at least; {@code -Ddurability.outage=PT30S} says otherwise. */
    private static final Duration OUTAGE = Duration.parse(System.getProperty("durability.outage", "PT1S"));

    /** What is logged once for each kind of error. */
    private static final String NOT_STORED = "Orders.place: a retry could not be stored";

    private final CountDownLatch gate = new CountDownLatch(1);

    @TempDir
    private Path folder;

    private Journal journal;

    @BeforeEach
    void open() {
        journal = new Journal(folder.resolve("journal"), "mine");
    }

    private ApplicationContextRunner with(ApplicationContextRunner application) {
        return application
                .withConfiguration(AutoConfigurations.of(
                        RetryMetricsAutoConfiguration.class, RetryTelemetryAutoConfiguration.class))
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean(Orders.class, () -> new Orders(journal, this::awaitGate));
    }

    private ApplicationContextRunner on(String url) {
        return with(DurableTrial.inMemory())
                .withPropertyValues(
                        "spring.datasource.url=" + url,
                        "spring.datasource.hikari.maximum-pool-size=5",
                        "spring.datasource.hikari.connection-timeout=500",
                        "retryon.jdbc.initialize-schema=always");
    }

    private ApplicationContextRunner onFile() {
        // Nothing but the test's calls meets the fault, which goes when the file is opened anew.
        return with(DurableTrial.embedded(folder))
                .withPropertyValues("retryon.durable.poll-interval=1h", "retryon.durable.heartbeat-interval=1h");
    }

    private void awaitGate() {
        try {
            assertThat(gate.await(2, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static Throwable place(ApplicationContext context, String order) {
        return catchThrowable(() -> context.getBean(Orders.class).place(order));
    }

    /** What the meter of faults has counted. */
    private static double faults(ApplicationContext context, ExtensionErrorListener.Kind kind, String name) {
        FunctionCounter counter = context.getBean(MeterRegistry.class)
                .find("retryon.extension.errors")
                .tags("kind", kind.name().toLowerCase(Locale.ROOT), "name", name)
                .functionCounter();
        return counter == null ? 0 : counter.count();
    }

    private static double faults(ApplicationContext context, String name) {
        return faults(context, ExtensionErrorListener.Kind.STORE, name);
    }

    /** The caller gets the error of its attempt, in which there is the one of the store. */
    private static void checkError(Throwable error) {
        assertThat(error).isInstanceOf(IOException.class).hasMessage("down 1");
        assertThat(error.getSuppressed())
                .anyMatch(suppressed -> suppressed.getClass().getName().startsWith("org.springframework."));
    }

    private static void execute(String url, String... statements) {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    @Test
    void callersHearOfItAndWorkGoesOnWhenPostgresIsBack(CapturedOutput output) throws Exception {
        EmbeddedPostgres first = postgres(0);
        String url = first.getJdbcUrl("postgres", "postgres");
        on(url).run(context -> {
            List<Throwable> errors = Collections.synchronizedList(new ArrayList<>());
            AtomicInteger accepted = new AtomicInteger();
            AtomicBoolean on = new AtomicBoolean(true);
            ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
            for (int caller = 0; caller < CALLERS; caller++) {
                String name = "caller" + caller;
                callers.execute(() -> {
                    for (int i = 0; on.get(); i++) {
                        // Two of three succeed in their second attempt, the others die.
                        String order = Orders.order(i % 3 == 0 ? 9 : 2, name + "-" + i);
                        Throwable error = place(context, order);
                        if (error == null) {
                            journal.write(Event.ACCEPTED, order);
                            accepted.incrementAndGet();
                        } else {
                            errors.add(error);
                        }
                    }
                });
            }
            await().until(() -> accepted.get() > 20);
            int before = errors.size();
            long away = System.nanoTime();
            first.close();
            await().atMost(OUTAGE.plusSeconds(30))
                    .until(() -> errors.size() >= before + 10 && System.nanoTime() - away > OUTAGE.toNanos());
            try (EmbeddedPostgres second = postgres(first.getPort())) {
                int then = accepted.get();
                await().until(() -> accepted.get() > then + 20);
                on.set(false);
                callers.shutdown();
                assertThat(callers.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
                await().until(() -> DurableTrial.stored(context) == 0);

                assertThat(errors).allSatisfy(DatabaseAwayTests::checkError);
                // Some are of workers that waited to write what came of their attempt.
                assertThat(faults(context, "Orders.place")).isGreaterThanOrEqualTo(errors.size());
                List<String> done =
                        journal.lines(Event.EFFECT).stream().map(Line::order).toList();
                List<String> dead = DurableTrial.deadLetters(context).stream()
                        .map(letter -> letter.arguments().replaceAll(".*:\"|\"}", ""))
                        .toList();
                assertThat(journal.lines(Event.ACCEPTED))
                        .extracting(Line::order)
                        .allMatch(order -> done.contains(order) || dead.contains(order));
                assertThat(done).doesNotHaveDuplicates();
                assertThat(dead).doesNotHaveDuplicates();
                // One for each kind of error that the driver, the pool and Spring have for it.
                assertThat(output.getOut().split(NOT_STORED, -1)).hasSizeBetween(2, 6);
                System.out.printf(
                        "Away for %s: %d calls accepted, %d refused, %d effects, %d dead letters%n",
                        OUTAGE, accepted.get(), errors.size(), done.size(), dead.size());
                context.getBean(HikariDataSource.class).close();
            }
        });
    }

    private EmbeddedPostgres postgres(int port) throws IOException {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setDataDirectory(folder.resolve("postgres"))
                .setCleanDataDirectory(false);
        return (port == 0 ? builder : builder.setPort(port)).start();
    }

    @Test
    void anExhaustedPool() {
        // As with pools that RetryOn can't copy.
        on(TestPostgres.database())
                .withPropertyValues("retryon.jdbc.own-connections=0")
                .run(context -> checkOutage(context, outage -> {
                    HikariDataSource pool = context.getBean(HikariDataSource.class);
                    List<Connection> taken = new ArrayList<>();
                    try {
                        while (taken.size() < pool.getMaximumPoolSize()) {
                            try {
                                taken.add(pool.getConnection());
                            } catch (SQLException ex) {
                                continue; // the engine has it for a moment
                            }
                        }
                        outage.run();
                    } finally {
                        for (Connection connection : taken) {
                            close(connection);
                        }
                    }
                }));
    }

    private static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    @Test
    void aDatabaseThatIsReadOnly() {
        String url = TestPostgres.database();
        String name = url.substring(url.lastIndexOf('/') + 1, url.indexOf('?'));
        // Sessions keep what held when they began.
        String endSessions = "select pg_terminate_backend(pid) from pg_stat_activity where datname = '" + name
                + "' and pid <> pg_backend_pid()";
        on(url).run(context -> checkOutage(context, outage -> {
            execute(url, "alter database " + name + " set default_transaction_read_only = on", endSessions);
            outage.run();
            execute(
                    url,
                    "set default_transaction_read_only = off",
                    "alter database " + name + " reset default_transaction_read_only",
                    endSessions);
        }));
    }

    @ParameterizedTest
    @Tag("endurance")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "POSTGRESQL")
    void aServerThatIsReadOnly(TestServer server) {
        String url = server.database();
        on(server.ofApplication(url, "all"))
                .run(context -> checkOutage(context, outage -> server.readOnly(url, outage)));
    }

    @ParameterizedTest
    @Tag("endurance")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "POSTGRESQL")
    void aTableThatIsFull(TestServer server) {
        String url = server.database();
        on(url).run(context -> {
            String full = " on retryon_call for each row if new.state = 'DEAD' then signal sqlstate 'HY000'"
                    + " set mysql_errno = 1114, message_text = 'The table is full'; end if";
            execute(url, "create trigger added before insert" + full, "create trigger changed before update" + full);
            String large = Orders.order(Orders.ATTEMPTS + 1, "x".repeat(20_000));
            for (int i = 0;
                    faults(context, ExtensionErrorListener.Kind.DEAD_LETTER, "Orders.keep") == 0 && i < 100;
                    i++) {
                assertThat(catchThrowable(() -> context.getBean(Orders.class).keep(large)))
                        .isInstanceOf(IOException.class);
            }
            // Larger than those that went in.
            String dying = large + large;
            assertThat(place(context, dying)).isNull();
            await().until(() -> faults(context, "Orders.place") > 0);
            assertThat(DurableTrial.stored(context)).isOne();

            execute(url, "drop trigger added", "drop trigger changed");
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(DurableTrial.deadLetters(context))
                    .singleElement()
                    .satisfies(letter -> assertThat(letter.arguments()).contains(dying));
            assertThat(journal.lines(Event.ATTEMPT).stream()
                            .filter(line -> line.order().equals(dying)))
                    .hasSize(Orders.ATTEMPTS);
        });
    }

    @Test
    void aFileThatIsReadOnly() {
        onFile().run(context -> {
            Throwable refused = null;
            List<String> accepted = new ArrayList<>();
            for (int i = 0; refused == null && i < 100; i++) {
                // A look for due calls might meet the fault first. The caller then has another connection.
                pragma(context, "query_only = on");
                String order = Orders.order(2, "during-" + i);
                refused = place(context, order);
                if (refused == null) {
                    accepted.add(order);
                    await().until(() -> DurableTrial.stored(context) == 0);
                }
            }
            checkError(refused);
            assertThat(faults(context, "Orders.place")).isOne();

            accepted.add(Orders.order(2, "after"));
            assertThat(place(context, Orders.order(2, "after"))).isNull();
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(journal.lines(Event.EFFECT)).extracting(Line::order).containsExactlyElementsOf(accepted);
            assertThat(DurableTrial.deadLetters(context)).isEmpty();
        });
    }

    /** A call that a worker holds during the outage, and others that are made then and afterwards. */
    private void checkOutage(ApplicationContext context, Consumer<Runnable> outage) {
        assertThat(catchThrowable(() -> context.getBean(Orders.class).placeLong("long")))
                .isNull();
        await().until(() -> journal.lines(Event.ATTEMPT).size() == 2);

        outage.accept(() -> {
            checkError(place(context, Orders.order(2, "during")));
            assertThat(faults(context, "Orders.place")).isOne();
            checkError(catchThrowable(() -> context.getBean(Orders.class).keep(Orders.order(2, "kept"))));
            assertThat(faults(context, ExtensionErrorListener.Kind.DEAD_LETTER, "Orders.keep"))
                    .isOne();
            Throwable refused =
                    catchThrowable(() -> context.getBean(Orders.class).announce(Orders.order(1, "announced")));
            assertThat(refused).isInstanceOfAny(DataAccessException.class, TransactionException.class);
            assertThat(faults(context, "Orders.announce")).isOne();
            gate.countDown();
            await().until(() -> faults(context, "Orders.placeLong") > 0);
        });

        await().until(() -> place(context, Orders.order(2, "after")) == null);
        await().until(() -> DurableTrial.stored(context) == 0);
        // The worker has waited for the database: nothing is made twice.
        assertThat(journal.lines(Event.ATTEMPT).stream()
                        .filter(line -> line.order().equals("long")))
                .hasSize(2);
        assertThat(journal.lines(Event.EFFECT).stream().map(Line::order).collect(toSet()))
                .containsExactly(Orders.order(2, "after"));
        assertThat(DurableTrial.deadLetters(context)).isEmpty();
    }

    /** A full disk refuses writes, but the database responds. */
    @Test
    void aDiskOfPostgresThatIsFull() {
        String url = TestPostgres.database();
        on(url).run(context -> {
            assertThat(catchThrowable(() -> context.getBean(Orders.class).placeLong("long")))
                    .isNull();
            await().until(() -> journal.lines(Event.ATTEMPT).size() == 2);

            // A sequence is not rolled back, so it counts the results that the worker has tried to store.
            execute(
                    url,
                    "create sequence tries",
                    "create function refuse() returns trigger language plpgsql as $$ begin"
                            + " if tg_op = 'DELETE' then perform nextval('tries'); end if;"
                            + " raise exception 'No space left on device' using errcode = 'disk_full'; end $$",
                    "create trigger full_disk before insert or update or delete on retryon_call"
                            + " for each row execute function refuse()");
            checkError(place(context, Orders.order(2, "during")));
            gate.countDown();
            await().until(() -> DurableTrial.store(context)
                            .jdbc()
                            .sql("select last_value from tries")
                            .query(Long.class)
                            .single()
                    >= 4);
            execute(url, "drop trigger full_disk on retryon_call");

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(journal.lines(Event.ATTEMPT).stream()
                            .filter(line -> line.order().equals("long")))
                    .hasSize(2);
            assertThat(DurableTrial.deadLetters(context)).isEmpty();
        });
    }

    @ParameterizedTest
    @EnumSource
    void aTableThatIsGoneForAWhile(TestServer server) {
        String url = server.database();
        on(url).withPropertyValues("retryon.durable.heartbeat-interval=250ms").run(context -> {
            assertThat(catchThrowable(() -> context.getBean(Orders.class).placeLong("long")))
                    .isNull();
            await().until(() -> journal.lines(Event.ATTEMPT).size() == 2);

            execute(url, "alter table retryon_call rename to elsewhere");
            checkError(place(context, Orders.order(2, "during")));
            gate.countDown();
            await().until(() -> faults(context, "Orders.placeLong") > 0);
            execute(url, "alter table elsewhere rename to retryon_call");

            await().until(() -> place(context, Orders.order(2, "after")) == null);
            // The worker has waited for the table, because only it knows the result of the second attempt.
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(journal.lines(Event.ATTEMPT).stream()
                            .filter(line -> line.order().equals("long"))
                            .map(Line::attempt))
                    .containsExactly(1, 2);
            assertThat(DurableTrial.deadLetters(context)).isEmpty();
        });
    }

    @Test
    void aDiskThatIsFull() {
        onFile().withPropertyValues("retryon.defaults.delay=1s").run(context -> {
            long pages = DurableTrial.store(context)
                    .jdbc()
                    .sql("pragma page_count")
                    .query(Long.class)
                    .single();
            pragma(context, "max_page_count = " + (pages + 2));
            String large = "x".repeat(20_000);

            Throwable refused = null;
            List<String> accepted = new ArrayList<>();
            for (int i = 0; refused == null && i < 100; i++) {
                String order = Orders.order(2, i + large);
                refused = place(context, order);
                if (refused == null) {
                    accepted.add(order);
                }
            }
            checkError(refused);
            assertThat(refused.getSuppressed())
                    .anyMatch(error -> String.valueOf(error).contains("FULL"));

            String after = Orders.order(2, "after");
            assertThat(place(context, after)).isNull();
            accepted.add(after);
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(journal.lines(Event.EFFECT))
                    .extracting(Line::order)
                    .containsExactlyInAnyOrderElementsOf(accepted);
        });
    }

    private static void pragma(ApplicationContext context, String pragma) {
        new JdbcTemplate(DurableTrial.store(context).dataSource()).execute("pragma " + pragma);
    }
}
