// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Rows of calls that a person has edited. A row from which no process could continue is rejected. */
@Tag("database")
class EditedCallsTests {

    private static final StoredCalls.Filter ALL = StoredCalls.Filter.of(State.WAITING, State.RUNNING);

    @TempDir
    private Path folder;

    /** The databases, with the first and the last time that their tables take, and edits that they refuse. */
    enum Kind {
        POSTGRESQL(
                "'1970-01-01 00:00:00+00'",
                "'9999-12-31 23:59:59.999999+00'",
                "version = 9223372036854775807",
                "execution_time = 'infinity'",
                "execution_time = '-infinity'",
                "execution_time = '4000-01-01 BC'",
                "execution_time = '294276-01-01'",
                "execution_time = null",
                "picked = true, last_heartbeat = 'infinity'",
                "picked = true"),
        H2(
                "TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00'",
                "TIMESTAMP WITH TIME ZONE '9999-12-31 23:59:59.999999+00'",
                "version = 9223372036854775807",
                "execution_time = TIMESTAMP WITH TIME ZONE '-1000000000-01-01 00:00:00+00'",
                "execution_time = TIMESTAMP WITH TIME ZONE '1000000000-12-31 00:00:00+00'",
                "execution_time = null",
                "picked = true, last_heartbeat = TIMESTAMP WITH TIME ZONE '1000000000-12-31 00:00:00+00'"),
        MARIADB(
                "'1970-01-01 00:00:00'",
                "'9999-12-31 23:59:59.999999'",
                "version = 9223372036854775807",
                "execution_time = '0000-00-00 00:00:00'",
                "execution_time = '0000-01-01 00:00:00'",
                "execution_time = null",
                "picked = true, last_heartbeat = '0000-00-00 00:00:00'",
                "picked = 2, last_heartbeat = '2026-01-01 00:00:00'"),
        MYSQL(
                "'1970-01-01 00:00:00'",
                "'9999-12-31 23:59:59.999999'",
                "version = 9223372036854775807",
                "execution_time = '0000-00-00 00:00:00'",
                "execution_time = '0000-01-01 00:00:00'",
                "execution_time = null",
                "picked = true, last_heartbeat = '0000-00-00 00:00:00'",
                "picked = 2, last_heartbeat = '2026-01-01 00:00:00'"),
        SQLITE(
                "0",
                "253402300799999",
                "version = 9223372036854775807",
                "version = 'x'",
                "version = 1.5",
                "execution_time = 9223372036854775807",
                "execution_time = -9223372036854775808",
                "execution_time = 0.5",
                "execution_time = null",
                "picked = 1, last_heartbeat = 9223372036854775807");

        private final String first;

        private final String last;

        private final List<String> refused;

        Kind(String first, String last, String... refused) {
            this.first = first;
            this.last = last;
            this.refused = List.of(refused);
        }
    }

    private ApplicationContextRunner application(Kind kind) {
        ApplicationContextRunner database = switch (kind) {
            case POSTGRESQL -> DurableTrial.postgres();
            case H2 -> DurableTrial.inMemory();
            case MARIADB -> DurableTrial.mariaDb();
            case MYSQL -> DurableTrial.mySql();
            case SQLITE -> DurableTrial.embedded(folder);
        };
        return database.withBean(Mails.class);
    }

    private static CallStore ledger(ApplicationContext context) {
        return context.getBean(CallStore.class);
    }

    /** The ids of all calls, read by pages of one. */
    private static List<String> paged(CallStore ledger) {
        List<String> ids = new ArrayList<>();
        String cursor = null;
        do {
            StoredCalls.Page page = ledger.list(ALL, cursor, 1);
            page.calls().forEach(call -> ids.add(call.id()));
            cursor = page.next();
        } while (cursor != null && ids.size() < 10);
        return ids;
    }

    @ParameterizedTest
    @EnumSource
    void whatNobodyCouldGoOnFromIsRefused(Kind kind) {
        application(kind).run(context -> {
            Mails mails = context.getBean(Mails.class);
            JdbcClient jdbc = DurableTrial.store(context).jdbc();
            for (String edit : kind.refused) {
                mails.fail();
                mails.send(edit);

                assertThatThrownBy(() ->
                                jdbc.sql("update retryon_call set " + edit).update())
                        .as(edit)
                        .isInstanceOf(DataAccessException.class);

                List<String> ids = paged(ledger(context));
                assertThat(ids).as(edit).hasSize(1);
                mails.recover();
                context.getBean(StoredCalls.class).runNow(ids.get(0));
                await().until(() -> DurableTrial.stored(context) == 0);
                assertThat(mails.sent()).last().isEqualTo(edit);
            }
            assertThat(mails.sent()).containsExactlyElementsOf(kind.refused);
        });
    }

    @ParameterizedTest
    @EnumSource
    void theLargestVersionKeepsNoOtherCallFromBeingMade(Kind kind) {
        application(kind).run(context -> {
            context.getBean(DurableLifecycle.class).stop();
            Mails mails = context.getBean(Mails.class);
            mails.send("17");
            JdbcClient jdbc = DurableTrial.store(context).jdbc();
            jdbc.sql("update retryon_call set version = 999999999999999").update();
            mails.send("18");
            jdbc.sql("update retryon_call set execution_time = " + kind.first).update();
            mails.recover();

            context.getBean(DurableLifecycle.class).start();

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(mails.sent()).containsExactlyInAnyOrder("17", "18");
        });
    }

    @ParameterizedTest
    @EnumSource
    void theFirstAndTheLastTimeAreListedLikeAllOthers(Kind kind) {
        application(kind).run(context -> {
            context.getBean(DurableLifecycle.class).stop();
            for (String id : List.of("17", "18", "19", "20", "21")) {
                context.getBean(Mails.class).send(id);
            }
            CallStore ledger = ledger(context);
            List<String> ids = paged(ledger);
            JdbcClient jdbc = DurableTrial.store(context).jdbc();
            String edit = "update retryon_call set execution_time = %s where task_instance in (?, ?)";
            jdbc.sql(edit.formatted(kind.last)).params(ids.get(0), ids.get(1)).update();
            jdbc.sql(edit.formatted(kind.first)).params(ids.get(2), ids.get(3)).update();

            List<String> edited = paged(ledger);

            assertThat(edited).containsExactlyInAnyOrderElementsOf(ids);
            assertThat(edited.subList(0, 2)).containsExactlyInAnyOrder(ids.get(2), ids.get(3));
            assertThat(edited.subList(3, 5)).containsExactlyInAnyOrder(ids.get(0), ids.get(1));
            assertThat(ledger.find(ids.get(0)).orElseThrow().summary().due())
                    .isAfter(Instant.parse("9999-12-31T23:59:59Z"));
            assertThat(context.getBean(CallEngine.class)
                            .backlog()
                            .get("default")
                            .nextDue())
                    .isEqualTo(Instant.EPOCH);
        });
    }

    @Test
    void aCursorOfATimeThatNoCallHasIsNone() {
        application(Kind.H2).run(context -> {
            for (Instant time : List.of(Instant.MIN, Instant.MAX, Instant.EPOCH.minus(Duration.ofDays(1)))) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> ledger(context).list(ALL, "WAITING." + time + "_17", 1))
                        .withMessageContaining("which is not a valid cursor");
            }
        });
    }

    static class Mails {

        private final List<String> sent = new CopyOnWriteArrayList<>();

        private volatile boolean isDown = true;

        List<String> sent() {
            return sent;
        }

        void fail() {
            isDown = true;
        }

        void recover() {
            isDown = false;
        }

        @RetryOn(value = IOException.class, delay = "1h", maxDelay = "1h")
        @Durable(ON_FAILURE)
        public void send(String id) throws IOException {
            if (isDown) {
                throw new IOException("down");
            }
            sent.add(id);
        }
    }
}
