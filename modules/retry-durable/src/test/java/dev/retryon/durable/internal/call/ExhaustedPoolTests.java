// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariDataSource;
import dev.retryon.RetryContext;
import dev.retryon.RetryHistory;
import dev.retryon.durable.Durable;
import dev.retryon.durable.internal.store.TestPostgres;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.module.RetryWarning;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Callers in transactions hold all connections of the application's pool when their calls fail. */
@Tag("database")
class ExhaustedPoolTests {

    private static final int CALLERS = 100;

    private static final int POOL = 10;

    static Stream<Supplier<ApplicationContextRunner>> servers() {
        return Stream.of(DurableTrial::postgres, DurableTrial::mariaDb, DurableTrial::mySql);
    }

    private static ApplicationContextRunner application(ApplicationContextRunner database) {
        return database.withPropertyValues(
                        "spring.datasource.hikari.maximum-pool-size=" + POOL, "retryon.defaults.delay=1h")
                .withBean(Mails.class);
    }

    /** Each caller fails while all connections are held; returns the error of each. */
    private static List<Throwable> callAll(ApplicationContext context, boolean isDurable) throws Exception {
        Mails mails = context.getBean(Mails.class);
        TransactionTemplate transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        JdbcTemplate jdbc = new JdbcTemplate(context.getBean(HikariDataSource.class));
        CyclicBarrier allHold = new CyclicBarrier(POOL);
        ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
        try {
            List<Future<Throwable>> calls = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                String id = "call " + i;
                calls.add(threads.submit(() -> catchThrowable(() -> transaction.executeWithoutResult(status -> {
                    jdbc.queryForObject("select 1", Integer.class);
                    meet(allHold);
                    if (isDurable) {
                        mails.sendLater(id);
                    } else {
                        mails.send(id);
                    }
                }))));
            }
            List<Throwable> errors = new ArrayList<>();
            for (Future<Throwable> call : calls) {
                errors.add(call.get(60, TimeUnit.SECONDS));
            }
            return errors;
        } finally {
            threads.shutdownNow();
        }
    }

    private static void meet(CyclicBarrier all) {
        try {
            all.await(30, TimeUnit.SECONDS);
        } catch (Exception ex) {
            throw new AssertionError(ex);
        }
    }

    @Test
    void allDeadLettersAreKept() {
        keepAll(DurableTrial.inMemory());
    }

    @ParameterizedTest
    @Tag("endurance")
    @MethodSource("servers")
    void allDeadLettersAreKeptOnServers(Supplier<ApplicationContextRunner> server) {
        keepAll(server.get());
    }

    private static void keepAll(ApplicationContextRunner database) {
        application(database).run(context -> {
            long begun = System.nanoTime();

            List<Throwable> errors = callAll(context, false);

            assertThat(errors).allSatisfy(error -> assertThat(error).isInstanceOf(IllegalStateException.class));
            assertThat(DurableTrial.deadLetters(context)).hasSize(CALLERS);
            // Far less than any time limit: nobody waits for a connection that its holder does not give back.
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(8));
        });
    }

    @Test
    void allCallsAreStored() {
        storeAll(DurableTrial.inMemory());
    }

    @ParameterizedTest
    @Tag("endurance")
    @MethodSource("servers")
    void allCallsAreStoredOnServers(Supplier<ApplicationContextRunner> server) {
        storeAll(server.get());
    }

    private static void storeAll(ApplicationContextRunner database) {
        application(database).run(context -> {
            long begun = System.nanoTime();

            List<Throwable> errors = callAll(context, true);

            assertThat(errors).filteredOn(Objects::nonNull).isEmpty();
            assertThat(DurableTrial.stored(context)).isEqualTo(CALLERS);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(8));
        });
    }

    @Test
    void ownConnectionsAreFewAndNamedAndEndWithTheApplication() {
        String url = TestPostgres.database();
        JdbcTemplate server = new JdbcTemplate(new DriverManagerDataSource(url));
        application(DurableTrial.postgres()
                        .withPropertyValues(
                                "spring.datasource.url=" + url,
                                "retryon.jdbc.own-connections=2",
                                "spring.datasource.name=shop"))
                .run(context -> {
                    int before = connections(server);
                    callAll(context, false);
                    assertThat(connections(server))
                            .isLessThanOrEqualTo(POOL + 2 + 1)
                            .isGreaterThanOrEqualTo(before);
                    assertThat(Thread.getAllStackTraces().keySet())
                            .extracting(Thread::getName)
                            .anyMatch(name -> name.contains("-retryon"));

                    context.getSourceApplicationContext().close();

                    await().until(() -> connections(server) == 1);
                });
    }

    @Test
    void lettersThatAreBeingWrittenAreKeptWhenTheApplicationEnds() throws Exception {
        String url = TestPostgres.database();
        JdbcTemplate server = new JdbcTemplate(new DriverManagerDataSource(url));
        ExecutorService threads = Executors.newCachedThreadPool();
        List<Future<Throwable>> calls = new ArrayList<>();
        try (Connection other = DriverManager.getConnection(url)) {
            other.setAutoCommit(false);
            application(DurableTrial.postgres().withPropertyValues("spring.datasource.url=" + url))
                    .run(context -> {
                        Mails mails = context.getBean(Mails.class);
                        other.createStatement().execute("lock table retryon_call in access exclusive mode");
                        for (int i = 0; i < 2 * POOL; i++) {
                            String id = "call " + i;
                            calls.add(threads.submit(() -> catchThrowable(() -> mails.send(id))));
                        }
                        await().until(() -> number(server, "pg_locks where not granted") > 1);

                        Future<?> end = threads.submit(context.getSourceApplicationContext()::close);
                        await().until(() ->
                                context.getSourceApplicationContext().isClosed());
                        other.commit();

                        end.get(30, TimeUnit.SECONDS);
                        for (Future<Throwable> call : calls) {
                            assertThat(call.get(30, TimeUnit.SECONDS).getSuppressed())
                                    .hasOnlyElementsOfType(RetryHistory.class);
                        }
                    });
        } finally {
            threads.shutdownNow();
        }
        assertThat(number(server, "retryon_call where state = 'DEAD'")).isEqualTo(2 * POOL);
    }

    @Test
    void aPoolOfAnotherKindIsUsedAsItIs() {
        application(DurableTrial.inMemory())
                .withPropertyValues(
                        "spring.datasource.type=com.zaxxer.hikari.HikariDataSource", "retryon.jdbc.own-connections=0")
                .run(context -> {
                    Mails mails = context.getBean(Mails.class);

                    assertThat(catchThrowable(() -> mails.send("17"))).isInstanceOf(IllegalStateException.class);

                    assertThat(DurableTrial.deadLetters(context)).hasSize(1);
                    assertThat(Thread.getAllStackTraces().keySet())
                            .extracting(Thread::getName)
                            .noneMatch(name -> name.contains("-retryon "));
                });
    }

    @Test
    void aServerThatAdmitsNoMoreConnectionsThanThePoolHasIsNoReasonToLoseCalls() {
        String url = TestPostgres.database();
        JdbcTemplate server = new JdbcTemplate(new DriverManagerDataSource(url));
        String role = "limited_" + System.nanoTime();
        server.execute("create role " + role + " login connection limit 3");
        server.execute("grant all on schema public to " + role);
        application(DurableTrial.postgres()
                        .withPropertyValues(
                                "spring.datasource.url=" + url.replaceFirst("user=[^&]*", "user=" + role),
                                "retryon.dead-letter.timeout=4s"))
                .withPropertyValues("spring.datasource.hikari.maximum-pool-size=3")
                .withBean(Filled.class)
                .run(context -> {
                    Mails mails = context.getBean(Mails.class);
                    var transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
                    for (int i = 0; i < 3; i++) {
                        assertThat(catchThrowable(() -> mails.send("17"))).isInstanceOf(IllegalStateException.class);
                        transaction.executeWithoutResult(status -> mails.sendLater("18"));
                    }

                    assertThat(DurableTrial.deadLetters(context)).hasSize(3);
                    assertThat(DurableTrial.stored(context)).isEqualTo(3);
                });
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aPoolThatCannotBeCopiedIsWarnedOfOnceACallerHoldsAConnection(CapturedOutput output) {
        application(DurableTrial.inMemory()).withBean(Wrapped.class).run(context -> {
            Mails mails = context.getBean(Mails.class);
            var transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));

            assertThat(catchThrowable(() -> mails.send("17"))).isInstanceOf(IllegalStateException.class);
            assertThat(output).doesNotContain(RetryWarning.SECOND_CONNECTION.code());

            for (int i = 0; i < 2; i++) {
                transaction.executeWithoutResult(status -> mails.sendLater("18"));
            }
            assertThat(output.getAll().split(RetryWarning.SECOND_CONNECTION.code(), -1))
                    .hasSize(2);
        });
    }

    private static int connections(JdbcTemplate server) {
        return number(server, "pg_stat_activity where datname = current_database()");
    }

    private static int number(JdbcTemplate server, String rows) {
        return Objects.requireNonNull(server.queryForObject("select count(*) from " + rows, Integer.class));
    }

    /** Opens all connections of the pool before anything else does. */
    static class Filled implements BeanPostProcessor {

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            if (bean instanceof HikariDataSource pool) {
                try (var first = pool.getConnection();
                        var second = pool.getConnection();
                        var third = pool.getConnection()) {
                    assertThat(List.of(first, second, third)).doesNotHaveDuplicates();
                } catch (SQLException ex) {
                    throw new AssertionError(ex);
                }
            }
            return bean;
        }
    }

    /** As libraries do that log statements. */
    static class Wrapped implements BeanPostProcessor {

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof HikariDataSource pool ? new DelegatingDataSource(pool) : bean;
        }
    }

    static class Mails {

        @RetryOn(IOException.class)
        @Durable(ON_EXHAUSTION)
        public void send(String id) {
            fail(id);
        }

        @RetryOn(IllegalStateException.class)
        @Durable(ON_FAILURE)
        public void sendLater(String id) {
            if (RetryContext.current().attempt() == 1) {
                fail(id);
            }
        }

        private static void fail(String id) {
            throw new IllegalStateException(id + ": no such mailbox");
        }
    }
}
