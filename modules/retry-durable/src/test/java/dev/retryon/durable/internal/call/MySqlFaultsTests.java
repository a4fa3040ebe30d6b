// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.durable.Durable;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.durable.internal.store.TestMySql;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Errors of a MySQL server, and databases that were not created as they should be. */
@Tag("database")
class MySqlFaultsTests {

    private final String url = TestMySql.database();

    private final JdbcTemplate jdbc = new JdbcTemplate(new DriverManagerDataSource(url));

    private final AtomicInteger sent = new AtomicInteger();

    private ApplicationContextRunner on(String address, String mode) {
        return DurableTrial.inMemory()
                .withPropertyValues("spring.datasource.url=" + address, "retryon.jdbc.initialize-schema=" + mode)
                .withBean(Mails.class, () -> new Mails());
    }

    private void createTables() {
        on(url, "always").run(context -> assertThat(context).hasNotFailed());
    }

    private static void assertFault(AssertableApplicationContext context, String... parts) {
        assertThat(context.getStartupFailure())
                .isInstanceOf(RetryConfigurationException.class)
                .hasMessageContainingAll(parts);
    }

    @Test
    void missingTablesAreAFaultThatNamesTheScript() {
        on(url, "never")
                .run(context -> assertFault(
                        context,
                        "retryon.jdbc.initialize-schema: is 'never', but table 'retryon_call' cannot be read (Table '",
                        "run classpath:dev/retryon/durable/store/schema-mysql.sql"));
    }

    /** The application's scripts might have changed the tables. */
    @Test
    void textsThatDoNotStoreEveryCharacterAreAFaultThatNamesTheStatement() {
        createTables();
        jdbc.execute("alter table retryon_call modify error_message longtext character set latin1");

        on(url, "never")
                .run(context -> assertFault(
                        context,
                        "retryon.jdbc.schema: created table 'retryon_call', whose columns error_message do not store",
                        "ALTER TABLE retryon_call CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"));
        jdbc.execute("alter table retryon_call convert to character set utf8mb4 collate utf8mb4_bin");
        on(url, "never").run(context -> assertThat(context).hasNotFailed());
    }

    /** RetryOn reads from the number of changed rows whether a call still exists. */
    @Test
    void aDriverThatDoesNotCountUnchangedRowsIsAFaultThatNamesTheOption() {
        on(url + "&useAffectedRows=true", "always").run(context -> assertFault(context, "useAffectedRows=true"));
    }

    /** A group of servers refuses a commit if another server has changed the row. The driver has the same error here. */
    @ParameterizedTest
    @ValueSource(strings = {"sqlstate '40000' set mysql_errno = 3101", "sqlstate '40001' set mysql_errno = 1213"})
    void aWriteThatAnotherServerOfTheGroupRefusesIsRepeated(String error) {
        on(url, "always").run(context -> {
            jdbc.execute("create table once (id int primary key) engine = myisam"); // is not rolled back
            jdbc.execute("create trigger refused before insert on retryon_call for each row"
                    + " if (select count(*) from once) = 0 then insert into once values (1); signal " + error
                    + "; end if");

            context.getBean(Mails.class).send();

            await().until(() -> sent.get() == 1 && DurableTrial.stored(context) == 0);
        });
    }

    /** The driver gives it the state of a deadlock. If the store repeated it ten times, its caller would wait ten times as long. */
    @Test
    void aLockTimeoutIsNotRepeated() throws Exception {
        String impatient = url.replace("sessionVariables=", "sessionVariables=innodb_lock_wait_timeout=1,");
        on(impatient, "always").run(context -> {
            RetryStore store = DurableTrial.store(context);
            jdbc.execute("create table single_row (id int primary key, changes int)");
            jdbc.execute("insert into single_row values (1, 0)");
            AtomicInteger tries = new AtomicInteger();
            try (Connection other = new DriverManagerDataSource(url).getConnection()) {
                other.setAutoCommit(false);
                other.createStatement().execute("update single_row set changes = 1");

                assertThatThrownBy(() -> store.write(() -> {
                            tries.incrementAndGet();
                            return store.template().update("update single_row set changes = 2");
                        }))
                        .isInstanceOf(ConcurrencyFailureException.class);
            }
            assertThat(tries).hasValue(1);
        });
    }

    @Test
    void connectionsThatTheServerEndsAreReplaced() {
        on(url, "always").run(context -> {
            context.getBean(Mails.class).send();
            await().until(() -> sent.get() == 1);
            String name = url.replaceAll(".*/|\\?.*", "");
            jdbc.queryForList(
                            "select id from information_schema.processlist where db = ? and id <> connection_id()",
                            Long.class,
                            name)
                    .forEach(id -> jdbc.execute("kill " + id));

            await().atMost(Duration.ofSeconds(20)).ignoreExceptions().until(() -> {
                context.getBean(Mails.class).send();
                return true;
            });
            await().until(() -> sent.get() >= 2 && DurableTrial.stored(context) == 0);
        });
    }

    public class Mails {

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void send() {
            sent.incrementAndGet();
        }
    }
}
