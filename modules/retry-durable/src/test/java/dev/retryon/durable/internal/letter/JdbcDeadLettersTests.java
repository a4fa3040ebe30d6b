// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.StoredCalls.Bulk;
import dev.retryon.durable.StoredCalls.Task;
import dev.retryon.durable.autoconfigure.RetryDurableAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.store.TestPostgres;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.internal.policy.Applications;
import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Dead letters in the application's database. */
@Tag("database")
class JdbcDeadLettersTests {

    private final ApplicationContextRunner without = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    RetryDurableCoreAutoConfiguration.class,
                    RetryAutoConfiguration.class,
                    RetryDurableAutoConfiguration.class))
            .withPropertyValues("retryon.defaults.backoff=none", "retryon.durable.poll-interval=50ms");

    private final ApplicationContextRunner runner = without.withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceInitializationAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class))
            .withPropertyValues("spring.datasource.generate-unique-name=true");

    private final Mails mails = new Mails();

    private ApplicationContextRunner mailing(ApplicationContextRunner application) {
        return application.withBean("mails", Mails.class, () -> mails);
    }

    @Test
    void theDatabaseOfTheApplicationIsTaken() {
        mailing(runner).run(context -> {
            String id = die(context, "a");

            assertThat(JdbcClient.create(context.getBean(DataSource.class))
                            .sql("select arguments from retryon_call where task_instance = :id")
                            .param("id", id)
                            .query(String.class)
                            .single())
                    .isEqualTo("{\"to\":\"a\"}");
            mails.down.set(false);
            assertThat(context.getBean(StoredCalls.class).resend(id)).isTrue();
            await().until(() -> status(context, id) == State.RESOLVED);
        });
    }

    @Test
    void aCallIsKeptThoughItsTransactionIsRolledBack() {
        mailing(runner).run(context -> {
            TransactionTemplate transaction =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));

            assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                        try {
                            context.getBean(Mails.class).send("a");
                        } catch (IOException ex) {
                            throw new IllegalStateException(ex);
                        }
                    }))
                    .isInstanceOf(IllegalStateException.class);

            assertThat(context.getBean(StoredCalls.class).count(StoredCalls.Filter.ALL))
                    .isEqualTo(1);
        });
    }

    @Test
    void anApplicationWithoutSuchMethodsGetsNoTables() {
        runner.withBean(Plain.class).run(context -> {
            assertThat(tables(context)).isZero();
            assertThat(context.getSourceApplicationContext().getBeanFactory().containsSingleton("retryOnCallStore"))
                    .isFalse();
        });
    }

    @Test
    void withoutADataSourceTheStartEndsAndSaysWhatToDo() {
        mailing(without)
                .run(context -> assertThat(Applications.faults(context))
                        .singleElement()
                        .asString()
                        .contains("retryon.durable.store: is 'auto'"));
    }

    @Test
    void aMissingTableEndsTheStart() {
        mailing(runner)
                .withPropertyValues("retryon.jdbc.initialize-schema=never")
                .run(context -> assertThat(Applications.faults(context))
                        .singleElement()
                        .asString()
                        .contains("retryon.jdbc.initialize-schema")
                        .contains("schema-h2.sql"));
    }

    @Test
    void aFileOfItsOwnNeedsNoDataSource(@TempDir Path folder) {
        mailing(without)
                .withPropertyValues(
                        "retryon.durable.store=embedded", "retryon.durable.path=" + folder.resolve("calls.db"))
                .run(context -> {
                    String id = die(context, "a");
                    assertThat(status(context, id)).isEqualTo(State.DEAD);
                });
        mailing(without)
                .withPropertyValues(
                        "retryon.durable.store=embedded", "retryon.durable.path=" + folder.resolve("calls.db"))
                .run(context -> assertThat(context.getBean(StoredCalls.class).count(StoredCalls.Filter.ALL))
                        .isEqualTo(1));
    }

    @Test
    void anApplicationWithoutJdbcStartsAsEver() {
        without.withClassLoader(new FilteredClassLoader("org.springframework.jdbc", "tools.jackson"))
                .withBean(Plain.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context).doesNotHaveBean(StoredCalls.class).doesNotHaveBean("retryOnDeadLetterCheck");
                });
    }

    @Test
    void twoProcessesSendEachCallOnce() {
        ApplicationContextRunner shared = mailing(runner)
                .withPropertyValues(
                        "spring.datasource.url=" + TestPostgres.database(), "retryon.jdbc.initialize-schema=always");
        shared.run(one -> shared.run(other -> {
            CallStore store = one.getBean(CallStore.class);
            for (int i = 0; i < 100; i++) {
                store.put(Letters.letter(
                        "id " + i,
                        Mails.class.getName() + "#send(java.lang.String)",
                        "[\"to " + i + "\"]",
                        VirtualTime.START));
            }
            mails.down.set(false);

            Task first = one.getBean(StoredCalls.class).resendAll(StoredCalls.Filter.ALL, Bulk.confirmed(10_000));
            StoredCalls there = other.getBean(StoredCalls.class);
            assertThatIllegalStateException()
                    .isThrownBy(() -> there.resendAll(StoredCalls.Filter.ALL, Bulk.confirmed(10_000)))
                    .withMessage("task " + first.id() + " is running; wait until it ends, or cancel it");

            await().atMost(Duration.ofMinutes(2))
                    .until(() -> store.count(StoredCalls.Filter.of(State.RESOLVED)) == 100);
            await().atMost(Duration.ofMinutes(1)).until(() -> first.state() == Task.State.DONE);
            assertThat(there.task()).contains(first);
            assertThat(there.task().orElseThrow().moved()).isEqualTo(100);
            assertThat(mails.sent)
                    .hasSize(100)
                    .allSatisfy((to, times) -> assertThat(times).as(to).isEqualTo(1));
        }));
    }

    private String die(ApplicationContext context, String to) {
        assertThatThrownBy(() -> context.getBean(Mails.class).send(to)).isInstanceOf(IOException.class);
        StoredCalls.Summary letter = context.getBean(StoredCalls.class)
                .list(StoredCalls.Filter.ALL, null, 1)
                .calls()
                .get(0);
        return letter.id();
    }

    private static State status(ApplicationContext context, String id) {
        return context.getBean(StoredCalls.class).find(id).orElseThrow().state();
    }

    private static long tables(ApplicationContext context) {
        return JdbcClient.create(context.getBean(DataSource.class))
                .sql("select count(*) from information_schema.tables where lower(table_name) like 'retryon%'")
                .query(Long.class)
                .single();
    }

    static class Mails {

        final AtomicBoolean down = new AtomicBoolean(true);

        final Map<String, Integer> sent = new ConcurrentHashMap<>();

        @RetryOn(value = IOException.class, maxAttempts = 2)
        @Durable(ON_EXHAUSTION)
        public void send(String to) throws IOException {
            if (down.get()) {
                throw new IOException("down");
            }
            sent.merge(to, 1, Integer::sum);
        }
    }

    public static class Plain {

        @RetryOn(IOException.class)
        public void fail() throws IOException {
            throw new IOException("down");
        }
    }
}
