// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.Durable;
import dev.retryon.durable.internal.store.TestPostgres;
import dev.retryon.durable.internal.store.TestServer;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** What the user of the database may do, and how tables come into being where several processes start at once. */
@Tag("database")
class StoreRightsTests {

    private static final String TABLES = "retryon_call, retryon_order, retryon_change, retryon_node, retryon_task";

    private static final AtomicInteger ROLES = new AtomicInteger();

    private final AtomicInteger sent = new AtomicInteger();

    private final String url = TestPostgres.database();

    private final JdbcTemplate admin = new JdbcTemplate(new DriverManagerDataSource(url));

    public class Mails {

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void send() {
            sent.incrementAndGet();
        }
    }

    public static class Letters {

        @RetryOn(value = IOException.class, maxAttempts = 1)
        @Durable(ON_EXHAUSTION)
        public void post() throws IOException {
            throw new IOException("down");
        }
    }

    private static ApplicationContextRunner on(String url, String initialize) {
        return DurableTrial.inMemory()
                .withPropertyValues("spring.datasource.url=" + url, "retryon.jdbc.initialize-schema=" + initialize);
    }

    private ApplicationContextRunner mails(String url, String initialize) {
        return on(url, initialize).withBean(Mails.class, Mails::new);
    }

    /** Creates the tables, and a user who may do what the statements grant to {@code %s}; returns its URL. */
    private String restricted(String... grants) {
        mails(url, "always").run(context -> assertThat(context).hasNotFailed());
        String role = "restricted" + ROLES.incrementAndGet();
        admin.execute("create role " + role + " login");
        for (String grant : grants) {
            admin.execute(grant.formatted(role));
        }
        return url.replaceFirst("user=[^&]*", "user=" + role);
    }

    private static void assertFault(AssertableApplicationContext context, String... parts) {
        assertThat(context).hasFailed();
        assertThat(message(context)).contains(parts);
    }

    /** Without the stack traces, which nobody reads. */
    private static String message(AssertableApplicationContext context) {
        StringBuilder message = new StringBuilder();
        for (Throwable next = context.getStartupFailure(); next != null; next = next.getCause()) {
            if (next instanceof RetryConfigurationException) {
                message.append(next.getMessage());
            }
        }
        return message.toString();
    }

    @Test
    void aUserWithoutUpdateIsAStartupFault() {
        mails(restricted("grant select, insert, delete on " + TABLES + " to %s"), "never")
                .run(context -> assertFault(
                        context,
                        "permission denied for table retryon_call",
                        "grant the user SELECT, INSERT, UPDATE and DELETE on table 'retryon_call'"));
    }

    @Test
    void aUserWithoutRightsOnBulkTasksIsAStartupFault() {
        String user = restricted(
                "grant select, insert, update, delete on retryon_call, retryon_order, retryon_change, retryon_node to %s",
                "grant select on retryon_task to %s");
        mails(user, "never")
                .run(context -> assertFault(
                        context,
                        "permission denied for table retryon_task",
                        "grant the user SELECT, INSERT, UPDATE and DELETE on table 'retryon_task'"));
    }

    @Test
    void aPolicyThatAdmitsOnlyInsertsIsAStartupFault() {
        String user = restricted("grant select, insert, update, delete on " + TABLES + " to %s");
        admin.execute("alter table retryon_call enable row level security");
        admin.execute("create policy inserts on retryon_call for insert with check (true)");
        mails(user, "never")
                .run(context -> assertFault(
                        context,
                        "UPDATE on table 'retryon_call' has no effect on a row that was just inserted",
                        "row-level security"));
    }

    @Test
    void aUserWithAllRightsIsAdmittedWithoutTheRightToCreateTables() {
        String user = restricted("grant select, insert, update, delete on " + TABLES + " to %s");
        admin.execute("alter table retryon_call enable row level security");
        admin.execute("create policy everything on retryon_call using (task_name = 'retryon')");
        mails(user, "always").run(context -> {
            assertThat(context).hasNotFailed();
            context.getBean(Mails.class).send();
            await().until(() -> sent.get() == 1);
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(DurableTrial.deadLetters(context)).isEmpty();
        });
    }

    @Test
    void rightsForColumnsAreEnough() {
        String user = restricted(
                "grant select, insert, delete on " + TABLES + " to %s",
                "grant update on retryon_order, retryon_change, retryon_node, retryon_task to %s",
                "grant update (task_data, execution_time, picked, picked_by, consecutive_failures, last_heartbeat,"
                        + " version, started_at, lane, method_hash, unfit_since, unique_key, again, order_key, task, task_undo, name, method, bean, arguments, error_code, error_type,"
                        + " error_message, stack_trace, failures, attempt, reason, first_failed_at, died_at, state,"
                        + " trace_id, trace_parent, actions) on retryon_call to %s");
        mails(user, "never").run(context -> {
            assertThat(context).hasNotFailed();
            context.getBean(Mails.class).send();
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(sent).hasValue(1);
        });
    }

    @Test
    void keptCallsNeedRightsOnTheTableOfCalls() {
        String user = restricted(
                "grant select, insert, update, delete on retryon_call to %s",
                "grant select on retryon_order, retryon_change, retryon_node, retryon_task to %s");
        on(user, "never").withBean(Letters.class).run(context -> {
            assertThat(context).hasNotFailed();
            try {
                context.getBean(Letters.class).post();
            } catch (IOException ex) {
                assertThat(DurableTrial.deadLetters(context)).hasSize(1);
            }
        });
        String reader = restricted("grant select on " + TABLES + " to %s");
        on(reader, "never")
                .withBean(Letters.class)
                .run(context -> assertFault(
                        context,
                        "permission denied for table retryon_call",
                        "grant the user SELECT, INSERT, UPDATE and DELETE on table 'retryon_call'"));
        // An application that only looks at dead letters.
        on(reader, "never")
                .run(context -> assertThat(DurableTrial.deadLetters(context)).hasSize(1));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "POSTGRESQL")
    void aUserWithoutUpdateIsAStartupFault(TestServer server) {
        String own = server.database();
        mails(own, "always").run(context -> assertThat(context).hasNotFailed());
        String user = server.ofApplication(own, "select, insert, delete");
        mails(user, "never")
                .run(context -> assertFault(context, "UPDATE command denied", "grant the user SELECT, INSERT, UPDATE"));
    }

    /** RetryOn reads from the number of changed rows whether a call still exists. */
    @ParameterizedTest
    @ValueSource(strings = {"mariadb", "mysql"})
    void aDriverThatDoesNotCountUnchangedRowsIsAFaultThatNamesTheOption(String driver) {
        mails(TestServer.MARIADB.database(driver) + "&useAffectedRows=true", "always")
                .run(context -> assertFault(context, "UPDATE on table 'retryon_call'", "useAffectedRows=true"));
    }

    @Test
    void aTableThatMayNotBeReadAsksForTheRight() {
        mails(restricted("grant insert on " + TABLES + " to %s"), "never")
                .run(context -> assertFault(
                        context,
                        "table 'retryon_call' cannot be read (ERROR: permission denied",
                        "grant the user SELECT"));
    }

    @Test
    void aColumnThatIsMissingIsNamed() {
        mails(url, "always").run(context -> assertThat(context).hasNotFailed());
        admin.execute("alter table retryon_call drop column started_at");
        mails(url, "always").run(context -> {
            assertFault(context, "the table exists, but lacks started_at; add these columns as in classpath:");
            assertThat(message(context)).doesNotContain("set the property to 'always'");
        });
    }

    @Test
    void withoutTheRightToCreateTablesTheMessageSaysSo() {
        String role = "restricted" + ROLES.incrementAndGet();
        admin.execute("create role " + role + " login");
        admin.execute("revoke create on schema public from public");
        mails(url.replaceFirst("user=[^&]*", "user=" + role), "always")
                .run(context -> assertFault(
                        context,
                        "the script could not create it (ERROR: permission denied for schema public",
                        "grant the user the privilege to create tables"));
    }

    @Test
    void severalProcessesCreateTheTablesAtOnce() throws Exception {
        createAtOnce(1);
    }

    @Test
    @Tag("endurance")
    void severalProcessesCreateTheTablesAtOnceEachTime() throws Exception {
        createAtOnce(3);
    }

    private void createAtOnce(int rounds) throws Exception {
        ExecutorService starters = Executors.newFixedThreadPool(6);
        for (int round = 0; round < rounds; round++) {
            String empty = TestPostgres.database();
            List<Callable<Void>> starts = new ArrayList<>();
            for (int node = 0; node < 6; node++) {
                starts.add(() -> {
                    mails(empty, "always")
                            .withPropertyValues("spring.datasource.hikari.maximum-pool-size=3")
                            .run(context -> assertThat(context).hasNotFailed());
                    return null;
                });
            }
            for (Future<Void> start : starters.invokeAll(starts)) {
                start.get();
            }
            assertThat(new JdbcTemplate(new DriverManagerDataSource(empty))
                            .queryForObject(
                                    "select count(*) from pg_indexes where tablename like 'retryon%'", Long.class))
                    .isEqualTo(13);
        }
        starters.shutdown();
    }
}
