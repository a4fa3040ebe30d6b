// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;

import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.call.DurableCalls.Node;
import dev.retryon.durable.internal.call.DurableCalls.Pool;
import dev.retryon.durable.internal.store.Database;
import dev.retryon.durable.internal.store.TestMariaDb;
import dev.retryon.durable.internal.store.TestMySql;
import dev.retryon.durable.internal.store.TestPostgres;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.module.NodeName;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.util.StringUtils;

/** The list of the processes of an application, which each of them renews with its heartbeats. */
@Tag("database")
@ExtendWith(OutputCaptureExtension.class)
class LiveNodesTests {

    private static final String HEARTBEAT = "retryon.durable.heartbeat-interval=200ms";

    @TempDir
    private Path folder;

    private final Jobs jobs = new Jobs();

    static class Jobs {

        private final CountDownLatch gate = new CountDownLatch(1);

        @RetryOn(IOException.class)
        @Durable(value = OUTBOX, lane = "mail")
        public void hang() throws InterruptedException {
            gate.await();
        }
    }

    /** An application whose nodes share a new database. */
    private ApplicationContextRunner nodes(Database database) {
        String url = switch (database) {
            case POSTGRESQL -> TestPostgres.database();
            case MARIADB -> TestMariaDb.database();
            case MYSQL -> TestMySql.database();
            case SQLITE -> "jdbc:sqlite:" + folder.resolve("calls.db") + "?busy_timeout=10000";
            case H2 -> "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        };
        return DurableTrial.inMemory()
                .withBean(Jobs.class, () -> jobs)
                .withPropertyValues(
                        "spring.datasource.url=" + url,
                        "retryon.jdbc.initialize-schema=always",
                        "retryon.durable.lanes.mail.threads=2",
                        "retryon.durable.threads=3",
                        "spring.application.version=2.1",
                        HEARTBEAT);
    }

    private static List<Node> listed(ApplicationContext context) {
        List<Node> nodes = context.getBean(DurableCalls.class).nodes();
        assertThat(nodes).isNotNull();
        return nodes;
    }

    private static JdbcClient jdbc(ApplicationContext context) {
        return DurableTrial.store(context).jdbc();
    }

    @ParameterizedTest
    @EnumSource
    void eachNodeListsTheVersionsAndThreadsOfAll(Database database) {
        ApplicationContextRunner nodes = nodes(database);
        nodes.run(one -> {
            // As precise as the clock of the database.
            Instant before = Instant.now().minusSeconds(1);
            nodes.withPropertyValues(
                            "spring.application.version=2.0",
                            "retryon.durable.threads=0",
                            "retryon.durable.lanes.mail.threads=0")
                    .run(two -> {
                        await().until(() -> listed(one).size() == 2);
                        assertThat(listed(two))
                                .extracting(Node::version, Node::thisNode, Node::alive, Node::threads)
                                .containsExactlyInAnyOrder(tuple("2.1", false, true, 5), tuple("2.0", true, true, 0));
                        assertThat(listed(two)).extracting(Node::node).containsOnly(NodeName.get());
                        assertThat(listed(one)).extracting(Node::thisNode).containsExactlyInAnyOrder(true, false);

                        two.getBean(Jobs.class).hang();
                        two.getBean(Jobs.class).hang();
                        await().until(() ->
                                listed(two).stream().mapToInt(Node::busy).sum() == 2);
                        Node busy = listed(two).stream()
                                .filter(node -> node.busy() > 0)
                                .findFirst()
                                .orElseThrow();
                        assertThat(busy.lanes())
                                .containsExactlyInAnyOrder(new Pool("default", 3, 0), new Pool("mail", 2, 2));
                        assertThat(busy.startedAt())
                                .isBetween(
                                        before.minusSeconds(60), Instant.now().plusSeconds(1));
                        Instant seen = busy.lastSeen();
                        await().until(() -> listed(two).stream()
                                .anyMatch(node -> node.busy() == 2
                                        && node.lastSeen().isAfter(seen)
                                        && node.startedAt().equals(busy.startedAt())));
                        assertThat(seen).isBetween(before, Instant.now().plusSeconds(1));
                    });
            // The other one has ended, and has deleted its row.
            assertThat(listed(one)).extracting(Node::version).containsExactly("2.1");
            jobs.gate.countDown();
            await().until(() -> listed(one).get(0).busy() == 0);
        });
    }

    @ParameterizedTest
    @EnumSource
    void aNodeThatIsNotSeenIsNotAliveAndIsDeletedAfterADay(Database database) {
        ApplicationContextRunner nodes = nodes(database);
        nodes.run(one -> {
            String row =
                    "insert into retryon_node (application, id, name, methods, lanes, started_at, seen_at, expires_at)"
                            + " select application, '%s', '%s', methods, lanes, started_at, seen_at - %d, seen_at - %3$d from"
                            + " retryon_node where name = '" + NodeName.get() + "'";
            Duration almostDay = Duration.ofDays(1).minusMinutes(1);
            jdbc(one).sql(row.formatted("a", "earlier:1", almostDay.toMillis())).update();
            jdbc(one)
                    .sql(row.formatted("b", "later:1", Duration.ofSeconds(2).toMillis()))
                    .update();
            jdbc(one)
                    .sql(row.formatted(
                            "c", "gone:1", Duration.ofDays(1).plusMinutes(1).toMillis()))
                    .update();
            assertThat(listed(one))
                    .extracting(Node::node, Node::alive)
                    .containsExactly(
                            tuple(NodeName.get(), true),
                            tuple("later:1", false),
                            tuple("earlier:1", false),
                            tuple("gone:1", false));

            nodes.run(two -> {
                await().until(() ->
                        listed(two).stream().noneMatch(node -> node.node().equals("gone:1")));
                assertThat(listed(two))
                        .extracting(Node::node)
                        .containsExactly(NodeName.get(), NodeName.get(), "later:1", "earlier:1");
            });
        });
    }

    @Test
    @Tag("process")
    void aKilledNodeIsNotAliveSoonAndNeitherItsMethodsNorItsThreadsCount() throws Exception {
        ApplicationContextRunner nodes = nodes(Database.POSTGRESQL)
                .withPropertyValues("retryon.durable.threads=0", "retryon.durable.lanes.mail.threads=0");
        nodes.run(one -> {
            String url = one.getEnvironment().getRequiredProperty("spring.datasource.url");
            StoredCalls calls = one.getBean(StoredCalls.class);
            assertThatIllegalStateException()
                    .isThrownBy(() -> calls.resendAll(StoredCalls.Filter.ALL, StoredCalls.Bulk.dry()))
                    .withMessageContaining("no running process of this application has threads");
            List<String> properties = List.of(
                    "spring.datasource.url=" + url,
                    "spring.application.version=1.9",
                    "trial.journal=" + folder.resolve("journal"),
                    "trial.work=WAITS",
                    HEARTBEAT);
            try (ChildProcess child = ChildProcess.start(folder, "killed", properties)) {
                await().until(() -> listed(one).stream().anyMatch(node -> node.threads() > 0 && node.alive()));
                assertThat(calls.resendAll(StoredCalls.Filter.ALL, StoredCalls.Bulk.dry())
                                .matched())
                        .isZero();
                child.killAfter(0);
            }
            await().until(() -> listed(one).stream().anyMatch(node -> !node.alive()));

            assertThat(listed(one))
                    .extracting(Node::thisNode, Node::alive, Node::version)
                    .containsExactly(tuple(true, true, "2.1"), tuple(false, false, "1.9"));
            assertThatIllegalStateException()
                    .isThrownBy(() -> calls.resendAll(StoredCalls.Filter.ALL, StoredCalls.Bulk.dry()))
                    .withMessageContaining("no running process of this application has threads");
        });
    }

    @Test
    void aNodeWhoseClockIsWrongIsAliveAsLongAsItIsSeen() {
        ApplicationContextRunner nodes = nodes(Database.POSTGRESQL);
        nodes.run(one -> {
            for (Duration ahead : List.of(Duration.ofMinutes(10), Duration.ofMinutes(-10))) {
                nodes.withPropertyValues("retryon.durable.threads=0", "retryon.durable.lanes.mail.threads=0")
                        .withBean(Changed.class, () -> Changed.ahead(ahead))
                        .run(two -> {
                            await().until(() -> listed(one).size() == 2);
                            for (ApplicationContext each : List.of(one, two)) {
                                assertThat(listed(each)).extracting(Node::alive).containsExactly(true, true);
                                assertThat(listed(each))
                                        .extracting(Node::lastSeen)
                                        .allSatisfy(seen -> assertThat(seen)
                                                .isBetween(
                                                        Instant.now().minusSeconds(30),
                                                        Instant.now().plusSeconds(30)));
                            }
                        });
            }
        });
    }

    @Test
    void aDatabaseThatIsAwayIsLoggedOnceAndTheNodeIsAliveWhenItIsBack(CapturedOutput output) {
        AtomicInteger refused = new AtomicInteger(-1);
        nodes(Database.POSTGRESQL)
                .withBean(Changed.class, () -> Changed.refusing(refused))
                .run(context -> {
                    await().until(() -> listed(context).size() == 1);
                    Instant seen = listed(context).get(0).lastSeen();

                    refused.set(0);
                    await().until(() -> refused.get() >= 10);
                    refused.set(-1);

                    await().until(() -> listed(context).get(0).lastSeen().isAfter(seen.plusMillis(200)));
                    assertThat(listed(context)).extracting(Node::alive).containsExactly(true);
                    assertThat(StringUtils.countOccurrencesOf(
                                    output.getOut(), "this process could not publish its methods; it will try again"))
                            .isOne();
                });
    }

    /** Changes the statements that an application prepares. */
    static class Changed implements BeanPostProcessor {

        private final Function<PreparedStatement, PreparedStatement> change;

        private final @Nullable AtomicInteger refused;

        private Changed(Function<PreparedStatement, PreparedStatement> change, @Nullable AtomicInteger refused) {
            this.change = change;
            this.refused = refused;
        }

        /** A clock that is ahead: the current times in statements are later. */
        static Changed ahead(Duration ahead) {
            long year = 365L * 86_400_000;
            return new Changed(
                    statement -> proxy(PreparedStatement.class, statement, arguments -> {
                        if (arguments.length > 1
                                && arguments[1] instanceof Long value
                                && value > Instant.now().toEpochMilli() - year) {
                            arguments[1] = value + ahead.toMillis();
                        }
                    }),
                    null);
        }

        /** Refuses the statements on the table of nodes, and counts them, unless the number is negative. */
        static Changed refusing(AtomicInteger refused) {
            return new Changed(statement -> statement, refused);
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            if (!(bean instanceof DataSource dataSource)) {
                return bean;
            }
            return new DelegatingDataSource(dataSource) {
                @Override
                public Connection getConnection() throws SQLException {
                    return connection(super.getConnection());
                }
            };
        }

        private Connection connection(Connection real) {
            return (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("prepareStatement")
                                && refused != null
                                && refused.get() >= 0
                                && ((String) arguments[0]).startsWith("update retryon_node")) {
                            refused.incrementAndGet();
                            throw new SQLException("the connection is lost", "08006");
                        }
                        try {
                            Object result = method.invoke(real, arguments);
                            return result instanceof PreparedStatement statement ? change.apply(statement) : result;
                        } catch (InvocationTargetException ex) {
                            throw ex.getCause();
                        }
                    });
        }

        private static <T> T proxy(Class<T> type, T real, Consumer<Object[]> change) {
            return type.cast(Proxy.newProxyInstance(
                    Changed.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                        if (arguments != null) {
                            change.accept(arguments);
                        }
                        try {
                            return method.invoke(real, arguments);
                        } catch (InvocationTargetException ex) {
                            throw ex.getCause();
                        }
                    }));
        }
    }
}
