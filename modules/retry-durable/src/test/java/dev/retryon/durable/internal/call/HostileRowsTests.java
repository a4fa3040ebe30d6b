// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.CallState;
import dev.retryon.RetryContext;
import dev.retryon.StopReason;
import dev.retryon.durable.Durable;
import dev.retryon.durable.LeaseExpiredException;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.durable.internal.invocation.MethodHash;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.module.RetrySettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Rows that no worker has written, or that nobody can make a call of: each ends as a dead letter, none loops. */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
class HostileRowsTests {

    private static final StoredCallFormat FORMAT = new StoredCallFormat(64 * 1024);

    @TempDir
    private Path folder;

    private ApplicationContextRunner application() {
        return DurableTrial.embedded(folder)
                .withPropertyValues(
                        "retryon.durable.unresolved-after=500ms", "retryon.durable.heartbeat-interval=250ms")
                .withBean(Mails.class);
    }

    private static void add(ApplicationContext context, String id, byte[] row) {
        CallEngine engine = context.getBean(CallEngine.class);
        DurableTrial.store(context).write(() -> {
            engine.add(
                    null,
                    id,
                    row,
                    new CallEngine.Label("Mails.send", null, 0, Instant.now(), "default", ""),
                    Instant.now());
            return null;
        });
        engine.wake("default", Instant.now());
    }

    private static byte[] row(String id, String key, String arguments) {
        return FORMAT.write(new CallContent(
                key,
                "Mails.send",
                null,
                arguments,
                CallState.first(id, Instant.now()),
                Duration.ZERO,
                RetrySettings.NONE,
                Map.of()));
    }

    private static String key() {
        return Mails.class.getName() + "#send(java.lang.String)";
    }

    private static DeadLetter letter(ApplicationContext context) {
        await().until(() -> DurableTrial.deadLetters(context).size() == 1);
        await().until(() -> DurableTrial.stored(context) == 0);
        assertThat(context.getBean(Mails.class).seen()).isEmpty();
        return DurableTrial.deadLetters(context).get(0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "not json",
                "[]",
                "{}",
                "null",
                "{\"v\":1,\"key\":\"trunca",
                "{\"v\":\"one\"}",
                "{\"v\":1,\"key\":{\"@class\":\"javax.naming.InitialContext\"},\"name\":\"x\",\"args\":[]}",
                "\u0000\u0001\u0002"
            })
    void whatIsNoCallIsRefused(String row) {
        application().run(context -> {
            add(context, "hostile", row.getBytes(StandardCharsets.UTF_8));

            DeadLetter letter = letter(context);
            assertThat(letter.id()).isEqualTo("hostile");
            assertThat(letter.reason()).isEqualTo(StopReason.UNRESOLVABLE);
            assertThat(letter.errorMessage()).startsWith("stored call hostile is rejected: ");
        });
    }

    private static byte[] overridden(String id, String override) {
        String row = new String(row(id, key(), "[\"17\"]"), StandardCharsets.UTF_8);
        return row.replace("\"override\":{}", "\"override\":" + override).getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"maxAttempts\":\"many\"}",
                "{\"maxAttempts\":\"-1\"}",
                "{\"delay\":\"${user.home}\"}",
                "{\"onlyIf\":\"T(java.lang.Runtime).getRuntime().exec('true')\"}",
                "{\"exceptions\":\"javax.naming.InitialContext\"}",
                "{\"no such\":\"1\"}",
                "{\"maxAttempts\":null}",
                "null"
            })
    void anOverrideThatIsNeverStoredIsRefused(String override) {
        application().run(context -> {
            add(context, "hostile", overridden("hostile", override));

            DeadLetter letter = letter(context);
            assertThat(letter.reason()).isEqualTo(StopReason.UNRESOLVABLE);
            assertThat(letter.errorMessage()).startsWith("stored call hostile is rejected: ");
        });
    }

    @Test
    void anOverrideThatContradictsTheMethodIsLeftOut(CapturedOutput output) {
        application().run(context -> {
            add(context, "odd", overridden("odd", "{\"budget\":\"no such\"}"));

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(context.getBean(Mails.class).seen()).hasSize(1);
            assertThat(output).contains("no longer valid for the method");
        });
    }

    @Test
    void aRowOfTenMegabytesIsRefusedWithoutBeingRead() {
        application().run(context -> {
            add(context, "hostile", row("hostile", key(), "[\"" + "x".repeat(10 * 1024 * 1024) + "\"]"));

            DeadLetter letter = letter(context);
            assertThat(letter.errorMessage()).contains("bytes long");
            assertThat(letter.arguments()).hasSizeLessThanOrEqualTo(64 * 1024);
        });
    }

    @Test
    void aRowThatSaysItIsAnotherCallIsRefused() {
        application().run(context -> {
            add(context, "hostile", row("another", key(), "[\"17\"]"));

            assertThat(letter(context).errorMessage()).contains("its content has the id of another call, another");
        });
    }

    private static byte[] startedAt(String time) {
        String row = new String(row("hostile", key(), "[\"17\"]"), StandardCharsets.UTF_8);
        return row.replaceFirst("\"startedAt\":\\d+", "\"startedAt\":" + time).getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"2026-11-23T01:00:00Z\"", "1e400", "true", "null", "[]"})
    void whatIsNoTimeIsRefused(String time) {
        application().run(context -> {
            add(context, "hostile", startedAt(time));

            assertThat(letter(context).errorMessage()).startsWith("stored call hostile is rejected: ");
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, 0, Long.MAX_VALUE})
    void aCallOfAnyTimeIsMade(long time) {
        application().run(context -> {
            add(context, "hostile", startedAt(String.valueOf(time)));

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(context.getBean(Mails.class).seen()).containsExactly("17");
            assertThat(DurableTrial.deadLetters(context)).isEmpty();
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            "key":"[^"]*" | "key":null
            "name":"Mails.send" | "name":null
            "args":..17.. | "args":null
            "callId":"hostile" | "callId":null
            "attempt":0 | "attempt":-1
            "attempt":0 | "attempt":2147483647
            "state" | "noState"
            "past":.] | "past":null
            "past":.] | "past":[{"number":1}]
            "past":.] | "past":[],"error":{"message":"down"}
            "delay":"PT0S" | "delay":null
            "context":.. | "context":null
            "context":.. | "context":{"a":null}
            """)
    void aCallThatLacksWhatEachCallHasIsRefused(String place, String edit) {
        application().run(context -> {
            context.getBean(Mails.class).fail();
            String row = new String(row("hostile", key(), "[\"17\"]"), StandardCharsets.UTF_8);
            String edited = row.replaceFirst(place, edit);
            assertThat(edited).isNotEqualTo(row).contains(edit);
            add(context, "hostile", edited.getBytes(StandardCharsets.UTF_8));

            assertThat(letter(context).errorMessage()).startsWith("stored call hostile is rejected: ");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "[1,2]", "17", "[{\"@class\":\"java.net.URL\",\"value\":\"http://example.com\"}]"})
    void argumentsThatDoNotFitAreKeptAsTheyAre(String arguments) {
        application().run(context -> {
            add(context, "hostile", row("hostile", key(), arguments));

            DeadLetter letter = letter(context);
            assertThat(letter.reason()).isEqualTo(StopReason.UNRESOLVABLE);
            assertThat(letter.arguments()).isEqualTo(arguments);
        });
    }

    @Test
    void aRowWithoutAMethodIsLookedAtOnceAndWaitsForAProcessThatHasIt() {
        application().run(context -> {
            String key = "com.acme.Gone#gone()";
            add(context, "hostile", row("hostile", key, "[]"));

            await().until(() -> hash(context).equals(MethodHash.of(key)));
            await().during(Duration.ofSeconds(1)).until(() -> version(context) == 3);
            assertThat(DurableTrial.deadLetters(context)).isEmpty();

            assertThat(context.getBean(StoredCalls.class).by("operator").giveUp("hostile", "gone"))
                    .isTrue();
            assertThat(letter(context).method()).isEqualTo(key);
        });
    }

    @Test
    void aRowWithoutAMethodRunsInAProcessThatHasIt() {
        application().run(context -> {
            context.getBean(DurableLifecycle.class).stop();
            add(context, "hostile", row("hostile", key(), "[\"17\"]"));
            assertThat(hash(context)).isEmpty();
            context.getBean(DurableLifecycle.class).start();

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(context.getBean(Mails.class).seen()).containsExactly("17");
        });
    }

    private static String hash(ApplicationContext context) {
        return DurableTrial.store(context)
                .jdbc()
                .sql("select method_hash from retryon_call")
                .query(String.class)
                .single();
    }

    private static long version(ApplicationContext context) {
        return DurableTrial.store(context)
                .jdbc()
                .sql("select version from retryon_call")
                .query(Long.class)
                .single();
    }

    @Test
    void aFormatThatANewerVersionHasWrittenIsWaitedForAndThenGivenUp() {
        application().run(context -> {
            add(context, "hostile", "{\"v\":999}".getBytes(StandardCharsets.UTF_8));

            assertThat(letter(context).errorMessage()).contains("it has format 999, but this process supports 1");
        });
    }

    /** Times are numbers there, and SQLite sorts each text behind all of them. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "execution_time = datetime('now')",
                "execution_time = 'soon'",
                "last_heartbeat = datetime('now')",
                "picked = 'yes'",
                "picked = 2",
                "picked = 1"
            })
    void anEditThatWouldHideACallIsRefused(String edit) {
        application().run(context -> {
            CallEngine engine = context.getBean(CallEngine.class);
            Instant later = Instant.now().plusSeconds(3600);
            engine.add(
                    null,
                    "edited",
                    row("edited", key(), "[\"17\"]"),
                    new CallEngine.Label("Mails.send", null, 0, Instant.now(), "default", ""),
                    later);
            JdbcClient jdbc = DurableTrial.store(context).jdbc();

            assertThatThrownBy(() -> jdbc.sql("update retryon_call set " + edit).update())
                    .isInstanceOf(DataAccessException.class)
                    .hasMessageContaining("CHECK constraint failed");

            jdbc.sql("update retryon_call set execution_time = unixepoch() * 1000")
                    .update();
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(context.getBean(Mails.class).seen()).containsExactly("17");
        });
    }

    @Test
    void aCallWhoseHolderIsGoneHasFailedOnce() {
        application().run(context -> {
            hold(context, row("orphan", key(), "[\"17\"]"), "orphan");

            await().until(() -> DurableTrial.stored(context) == 0);
            // The first attempt was the one that nobody saw the end of.
            assertThat(context.getBean(Mails.class).attempts()).containsExactly(2);
        });
    }

    @Test
    void aLostAttemptCountsAlthoughAProcessPostponesTheCall() {
        ApplicationContextRunner patient = DurableTrial.embedded(folder)
                .withPropertyValues("retryon.durable.unresolved-after=1h", "retryon.durable.heartbeat-interval=250ms");
        patient.withBean(Others.class).run(older -> {
            hold(older, row("orphan", key(), "[\"17\"]"), "orphan");
            await().until(() -> DurableTrial.store(older)
                            .jdbc()
                            .sql("select count(*) from retryon_call where picked = 0 and version > 3")
                            .query(Long.class)
                            .single()
                    == 1);
        });

        patient.withBean(Mails.class).run(newer -> {
            DurableTrial.store(newer)
                    .jdbc()
                    .sql("update retryon_call set execution_time = 0")
                    .update();

            await().until(() -> DurableTrial.stored(newer) == 0);
            assertThat(newer.getBean(Mails.class).attempts()).containsExactly(2);
        });
    }

    @Test
    void aCallThatEndsItsProcessEachTimeDies() {
        application().run(context -> {
            CallState last =
                    new CallState("orphan", 2, Duration.ofMillis(1), Instant.now(), List.of(), null, null, null);
            byte[] row = FORMAT.write(new CallContent(
                    key(), "Mails.send", null, "[\"17\"]", last, Duration.ofMillis(1), RetrySettings.NONE, Map.of()));
            hold(context, row, "orphan");

            DeadLetter letter = letter(context);
            assertThat(letter.reason()).isEqualTo(StopReason.EXHAUSTED);
            assertThat(letter.errorType()).isEqualTo(LeaseExpiredException.class.getName());
            assertThat(letter.attempts()).isEqualTo(3);
        });
    }

    /** As a process leaves a call that it held when it was killed. */
    private static void hold(ApplicationContext context, byte[] row, String id) {
        long then = Instant.now().minusSeconds(60).toEpochMilli();
        DurableTrial.store(context)
                .jdbc()
                .sql("insert into retryon_call (task_name, task_instance, task_data, execution_time, picked, picked_by,"
                        + " last_heartbeat, version) values ('retryon', ?, ?, ?, 1, 'gone', ?, 2)")
                .params(id, row, then, then)
                .update();
    }

    static class Others {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void send() {}
    }

    static class Mails {

        private final List<String> seen = new CopyOnWriteArrayList<>();

        private final List<Integer> attempts = new CopyOnWriteArrayList<>();

        private volatile boolean fails;

        List<String> seen() {
            return seen;
        }

        void fail() {
            fails = true;
        }

        List<Integer> attempts() {
            return attempts;
        }

        void prepare() {
            seen.add("prepared");
        }

        @RetryOn(value = IOException.class, maxAttempts = 3, beforeRetry = "prepare")
        @Durable(ON_FAILURE)
        public void send(String id) throws IOException {
            if (fails) {
                throw new IOException("down");
            }
            seen.add(id);
            attempts.add(RetryContext.current().attempt());
        }
    }
}
