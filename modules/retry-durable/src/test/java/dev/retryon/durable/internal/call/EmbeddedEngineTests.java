// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** What the engine does with a file of our own. */
class EmbeddedEngineTests {

    private static final int CALLS = 20;

    private static final int THREADS = 4;

    private final Statements statements = new Statements();

    @TempDir
    private Path folder;

    private ApplicationContextRunner application() {
        return DurableTrial.embedded(folder)
                .withPropertyValues("retryon.durable.threads=" + THREADS)
                .withBean(Mails.class)
                .withBean(Statements.class, () -> statements);
    }

    private void storeAll(ApplicationContext context) throws InterruptedException {
        for (int i = 0; i < CALLS; i++) {
            context.getBean(Mails.class).send("mail " + i);
        }
    }

    @Test
    void dueCallsAreHeldTogetherAndEndWithOneStatementEach() {
        application().run(context -> {
            context.getBean(DurableLifecycle.class).stop();
            storeAll(context);
            context.getBean(Mails.class).open();
            statements.seen.clear();

            context.getBean(DurableLifecycle.class).start();

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(context.getBean(Mails.class).sent()).hasSize(CALLS);
            assertThat(statements.seen)
                    .filteredOn(sql -> sql.startsWith("delete from retryon_call"))
                    .hasSize(CALLS);
            // 5 = 20 calls / 4 threads
            assertThat(statements.seen)
                    .filteredOn(sql -> sql.startsWith("update retryon_call set picked = true"))
                    .hasSizeGreaterThanOrEqualTo(5)
                    .anyMatch(sql -> sql.contains("task_instance in (?, ?, ?, ?)"));
            assertThat(statements.seen)
                    .as("none that holds or reads a single call")
                    .noneMatch(sql ->
                            sql.startsWith("update retryon_call set picked") && sql.contains("task_instance = ?"))
                    .noneMatch(sql -> sql.startsWith("select * from retryon_call where task_name"));
        });
    }

    @Test
    void whatIsDueIsFoundByItsTimeHoweverManyCallsWait() {
        application().run(context -> {
            context.getBean(DurableLifecycle.class).stop();
            storeAll(context);
            context.getBean(DurableLifecycle.class).start();
            await().until(() -> context.getBean(Mails.class).begun().size() == THREADS);
            List<String> finds = statements.seen.stream()
                    .filter(sql ->
                            sql.startsWith("select") && sql.contains("state = 'WAITING' and picked = false and lane"))
                    .distinct()
                    .toList();

            // The next lane, the next kind of calls in a lane, and the due ones of a kind.
            assertThat(finds).hasSizeGreaterThanOrEqualTo(4).allSatisfy(sql -> {
                long values = sql.chars().filter(character -> character == '?').count();
                assertThat(DurableTrial.store(context)
                                .jdbc()
                                .sql("explain query plan " + sql)
                                .params(Collections.nCopies((int) values, 0))
                                .query((row, number) -> row.getString("detail"))
                                .list())
                        .as(sql)
                        .anyMatch(detail -> detail.contains("retryon_call_due"))
                        .noneMatch(
                                detail -> detail.contains("TEMP B-TREE") && !sql.startsWith("select * from (select"));
            });
            context.getBean(Mails.class).open();
        });
    }

    @Test
    void noMoreCallsAreHeldThanThereAreThreadsToMakeThem() {
        application().run(context -> {
            Mails mails = context.getBean(Mails.class);
            storeAll(context);

            await().until(() -> mails.begun().size() == THREADS);
            assertThat(DurableTrial.store(context)
                            .jdbc()
                            .sql("select task_instance from retryon_call where picked = true and version = 2")
                            .query(String.class)
                            .list())
                    .hasSize(THREADS);

            mails.open();
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(mails.begun()).doesNotHaveDuplicates().hasSize(CALLS);
        });
    }

    @Test
    void callsAreHeldInTheOrderInWhichTheyAreDue() {
        application().withPropertyValues("retryon.durable.threads=1").run(context -> {
            context.getBean(DurableLifecycle.class).stop();
            context.getBean(Mails.class).open();
            for (String mail : List.of("third", "first", "second")) {
                context.getBean(Mails.class).send(mail);
                DurableTrial.store(context)
                        .jdbc()
                        .sql(
                                "update retryon_call set execution_time = execution_time - ? where instr(task_data, ?) > 0")
                        .params(mail.equals("first") ? 60_000 : mail.equals("second") ? 30_000 : 0, mail)
                        .update();
            }

            context.getBean(DurableLifecycle.class).start();

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(context.getBean(Mails.class).sent()).containsExactly("first", "second", "third");
        });
    }

    @Test
    void aRowThatIsNotOursIsLeftAlone() {
        application().run(context -> {
            DurableTrial.store(context)
                    .jdbc()
                    .sql("insert into retryon_call (task_name, task_instance, execution_time, picked, version)"
                            + " values ('elsewhere', '17', 0, false, 1)")
                    .update();
            context.getBean(Mails.class).open();
            storeAll(context);

            await().until(() -> DurableTrial.stored(context) == 1);
            assertThat(DurableTrial.store(context)
                            .jdbc()
                            .sql("select task_instance from retryon_call where picked = false and version = 1")
                            .query(String.class)
                            .single())
                    .isEqualTo("17");
        });
    }

    /** What is prepared on connections of any data source. */
    static class Statements implements BeanPostProcessor {

        private final List<String> seen = new CopyOnWriteArrayList<>();

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof DataSource dataSource ? new Recorded(dataSource, seen) : bean;
        }
    }

    private static final class Recorded extends DelegatingDataSource {

        private final List<String> seen;

        Recorded(DataSource dataSource, List<String> seen) {
            super(dataSource);
            this.seen = seen;
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            return (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("prepareStatement")) {
                            seen.add((String) arguments[0]);
                        }
                        try {
                            return method.invoke(connection, arguments);
                        } catch (InvocationTargetException ex) {
                            throw ex.getCause();
                        }
                    });
        }
    }

    static class Mails {

        private final List<String> begun = new CopyOnWriteArrayList<>();

        private final List<String> sent = new CopyOnWriteArrayList<>();

        private final CountDownLatch gate = new CountDownLatch(1);

        List<String> begun() {
            return begun;
        }

        List<String> sent() {
            return sent;
        }

        void open() {
            gate.countDown();
        }

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void send(String id) throws InterruptedException {
            begun.add(id);
            gate.await();
            sent.add(id);
        }
    }
}
