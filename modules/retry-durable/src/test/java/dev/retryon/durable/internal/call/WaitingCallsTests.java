// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import dev.retryon.StopReason;
import dev.retryon.durable.Durable;
import dev.retryon.durable.Redacted;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCallEvent;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.MDC;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.PayloadApplicationEvent;

/** What an operator sees of durable calls that wait, and does with them. On SQLite; other databases by subclasses. */
class WaitingCallsTests {

    private static final StoredCalls.Filter ALL = StoredCalls.Filter.of(State.WAITING, State.RUNNING);

    private static final String HOSTILE = "<script>alert(1)</script>\u202E'; drop table retryon_call; --%_!";

    @TempDir
    private Path folder;

    ApplicationContextRunner database() {
        return DurableTrial.embedded(folder);
    }

    private ApplicationContextRunner application() {
        return database().withPropertyValues("retryon.durable.threads=1").withBean(Mails.class);
    }

    @BeforeEach
    void breakDown() {
        Mails.error = new IOException("down");
        Mails.gate = null;
        Mails.sent.clear();
    }

    private static StoredCalls calls(ApplicationContext context) {
        return context.getBean(StoredCalls.class);
    }

    private static CallStore ledger(ApplicationContext context) {
        return context.getBean(CallStore.class);
    }

    private static Mails mails(ApplicationContext context) {
        return context.getBean(Mails.class);
    }

    private static void add(ApplicationContext context, String id, byte[] row, CallEngine.Label label, Duration dueIn) {
        CallEngine engine = context.getBean(CallEngine.class);
        DurableTrial.store(context)
                .writeSingle(
                        () -> engine.add(null, id, row, label, Instant.now().plus(dueIn)));
    }

    private static CallEngine.Label label(String name, String error, Instant started) {
        return new CallEngine.Label(name, error, 1, started, "default", "");
    }

    private static List<String> ids(ApplicationContext context, StoredCalls.Filter filter) {
        return ledger(context).list(filter, null, 100).calls().stream()
                .map(StoredCalls.Summary::id)
                .toList();
    }

    private static String only(ApplicationContext context) {
        assertThat(ids(context, ALL)).hasSize(1);
        return ids(context, ALL).get(0);
    }

    @Test
    void whatWaitsIsListedWithItsErrorAndWhenItIsDue() {
        application().run(context -> {
            Instant before = Instant.now().minusSeconds(1);
            mails(context).send("ann@shop.example", "secret");

            assertThat(ledger(context).list(ALL, null, 10).calls())
                    .singleElement()
                    .satisfies(entry -> {
                        assertThat(entry.name()).isEqualTo("Mails.send");
                        assertThat(entry.errorType()).isEqualTo(IOException.class.getName());
                        assertThat(entry.attempts()).isEqualTo(1);
                        assertThat(entry.state()).isEqualTo(State.WAITING);
                        assertThat(entry.startedAt()).isAfter(before);
                        assertThat(entry.due())
                                .isAfter(before.plus(Duration.ofHours(1)))
                                .isBefore(
                                        Instant.now().plus(Duration.ofHours(1)).plusSeconds(1));
                    });
        });
    }

    @Test
    void callsAreGroupedByMethodAndErrorTheLargestGroupFirst() {
        application().run(context -> {
            mails(context).send("ann@shop.example", "a");
            Mails.error = new ConnectException("refused");
            mails(context).send("bob@shop.example", "b");
            mails(context).send("cem@shop.example", "c");
            mails(context).remind(1);

            List<StoredCalls.Group> groups = ledger(context).groups(ALL, 10);
            assertThat(groups)
                    .extracting(StoredCalls.Group::name, StoredCalls.Group::errorType, StoredCalls.Group::count)
                    .containsExactlyInAnyOrder(
                            tuple("Mails.send", ConnectException.class.getName(), 2L),
                            tuple("Mails.send", IOException.class.getName(), 1L),
                            tuple("Mails.remind", ConnectException.class.getName(), 1L));
            assertThat(groups.get(0).count()).isEqualTo(2);
            assertThat(groups).allSatisfy(group -> {
                assertThat(group.oldest()).isBetween(Instant.now().minusSeconds(600), Instant.now());
                assertThat(group.nextDue()).isAfter(Instant.now().plus(Duration.ofMinutes(30)));
            });
            assertThat(ledger(context).groups(ALL, 1)).hasSize(1);
        });
    }

    @Test
    void aFilterAsksForMethodErrorTextAndAge() {
        application().run(context -> {
            Instant noon = Instant.parse("2026-01-01T12:00:00Z");
            byte[] row = "{}".getBytes(StandardCharsets.UTF_8);
            Duration later = Duration.ofHours(1);
            add(context, "a", row, label("Mails.send", "java.io.IOException", noon), later);
            add(context, "b", row, label("Mails.send", "java.net.ConnectException", noon.plusSeconds(1)), later);
            add(context, "c_1", row, label("Orders.ship", null, noon.plusSeconds(2)), later);

            assertThat(ids(context, ALL)).containsExactlyInAnyOrder("a", "b", "c_1");
            assertThat(ids(
                            context,
                            new StoredCalls.Filter(
                                    Set.of(State.WAITING, State.RUNNING), "Mails.send", null, null, null, null, null)))
                    .containsExactlyInAnyOrder("a", "b");
            assertThat(ids(
                            context,
                            new StoredCalls.Filter(
                                    Set.of(State.WAITING, State.RUNNING),
                                    null,
                                    "java.io.IOException",
                                    null,
                                    null,
                                    null,
                                    null)))
                    .containsExactly("a");
            assertThat(ids(
                            context,
                            new StoredCalls.Filter(
                                    Set.of(State.WAITING, State.RUNNING), null, null, null, "CONNECT", null, null)))
                    .containsExactly("b");
            assertThat(ids(
                            context,
                            new StoredCalls.Filter(
                                    Set.of(State.WAITING, State.RUNNING), null, null, null, "c_", null, null)))
                    .containsExactly("c_1");
            assertThat(ids(
                            context,
                            new StoredCalls.Filter(
                                    Set.of(State.WAITING, State.RUNNING), null, null, null, "%", null, null)))
                    .isEmpty();
            assertThat(ids(
                            context,
                            new StoredCalls.Filter(
                                    Set.of(State.WAITING, State.RUNNING),
                                    null,
                                    null,
                                    null,
                                    null,
                                    noon.plusSeconds(1),
                                    null)))
                    .containsExactlyInAnyOrder("b", "c_1");
            assertThat(ids(
                            context,
                            new StoredCalls.Filter(
                                    Set.of(State.WAITING, State.RUNNING),
                                    null,
                                    null,
                                    null,
                                    null,
                                    null,
                                    noon.plusSeconds(1))))
                    .containsExactly("a");
            assertThat(ids(
                            context,
                            new StoredCalls.Filter(
                                    Set.of(State.WAITING, State.RUNNING),
                                    null,
                                    null,
                                    null,
                                    null,
                                    Instant.MIN,
                                    Instant.MAX)))
                    .hasSize(3);
            assertThat(ledger(context)
                            .count(new StoredCalls.Filter(
                                    Set.of(State.WAITING, State.RUNNING), "Mails.send", null, null, null, null, null)))
                    .isEqualTo(2);
        });
    }

    @Test
    void aCursorLeadsThroughAllCallsThoseThatAreDueNextFirst() {
        application().run(context -> {
            CallEngine engine = context.getBean(CallEngine.class);
            Instant due = Instant.now().plusSeconds(3600).truncatedTo(ChronoUnit.SECONDS);
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                String id = "id_" + i;
                // Three are due at each moment.
                Instant when = due.plusSeconds(i / 3);
                DurableTrial.store(context)
                        .writeSingle(() -> engine.add(null, id, new byte[] {1}, label("Mails.send", null, due), when));
                expected.add(id);
            }
            List<String> seen = new ArrayList<>();
            String cursor = null;
            do {
                StoredCalls.Page page = ledger(context).list(ALL, cursor, 4);
                page.calls().forEach(entry -> seen.add(entry.id()));
                cursor = page.next();
            } while (cursor != null);

            assertThat(seen).containsExactlyElementsOf(expected);
            for (String wrong : List.of("", "1", "a_b_c", "9999999999999999999_0_x", "1_2")) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> ledger(context).list(ALL, wrong, 4))
                        .withMessageContaining("which is not a valid cursor");
            }
        });
    }

    @Test
    void aCallIsShownWithItsAttemptsAndWithoutWhatIsRedacted() {
        application().run(context -> {
            MDC.put("traceId", "4711");
            try {
                mails(context).send("ann@shop.example", "secret");
            } finally {
                MDC.clear();
            }
            StoredCall call = calls(context).find(only(context)).orElseThrow();

            assertThat(call.problem()).isNull();
            assertThat(call.method()).startsWith(Mails.class.getName() + "#send(");
            assertThat(call.arguments()).contains("ann@shop.example").doesNotContain("secret");
            assertThat(call.traceId()).isEqualTo("4711");
            assertThat(call.failures()).singleElement().satisfies(failure -> {
                assertThat(failure.attempt()).isEqualTo(1);
                assertThat(failure.errorType()).isEqualTo(IOException.class.getName());
                assertThat(failure.errorMessage()).isEqualTo("down");
            });
            assertThat(calls(context).find("unknown")).isEmpty();
        });
    }

    @Test
    void rowsOfOthersAreListedAsTextAndBreakNothing() {
        application().run(context -> {
            Duration later = Duration.ofHours(1);
            byte[] huge = new byte[4 * 1024 * 1024];
            add(context, "huge", huge, label("Mails.send", null, Instant.EPOCH), later);
            add(
                    context,
                    "text",
                    HOSTILE.getBytes(StandardCharsets.UTF_8),
                    label(HOSTILE, HOSTILE, Instant.EPOCH),
                    later);
            add(context, "zero", new byte[0], label("a\u0000b", "x".repeat(2000), Instant.EPOCH), later);
            DurableTrial.store(context)
                    .jdbc()
                    .sql("update retryon_call set name = null, error_type = null, attempt = null, started_at = null"
                            + " where task_instance = 'zero'")
                    .update();

            assertThat(ids(context, ALL)).containsExactlyInAnyOrder("huge", "text", "zero");
            assertThat(ledger(context).groups(ALL, 10)).hasSize(3);
            assertThat(ids(
                            context,
                            new StoredCalls.Filter(
                                    Set.of(State.WAITING, State.RUNNING), HOSTILE, HOSTILE, null, HOSTILE, null, null)))
                    .containsExactly("text");
            assertThat(calls(context).find("huge").orElseThrow().problem())
                    .contains("its content is empty or too long");
            assertThat(calls(context).find("huge").orElseThrow().arguments()).isNull();
            assertThat(calls(context).find("text").orElseThrow().arguments()).isNull();
            assertThat(calls(context).find("text").orElseThrow().problem()).isNotNull();
            assertThat(calls(context).find("zero").orElseThrow().problem()).isNotNull();
            for (String id : List.of("huge", "text", "zero")) {
                assertThat(calls(context).by("alice").giveUp(id, "not ours")).isTrue();
            }
            assertThat(ids(context, ALL)).isEmpty();
            assertThat(DurableTrial.deadLetters(context))
                    .hasSize(3)
                    .allSatisfy(letter -> assertThat(letter.reason()).isEqualTo(StopReason.UNRESOLVABLE));
        });
    }

    @Test
    void nothingIsShownOfACallThatANewerVersionHasStored() {
        application().run(context -> {
            MDC.put("session", "4711");
            try {
                mails(context).send("ann@shop.example", "secret");
            } finally {
                MDC.clear();
            }
            CallStore.Found entry = ledger(context).find(only(context)).orElseThrow();
            String row = new String(
                    ledger(context).content(entry.summary().id(), entry.version(), 10_000), StandardCharsets.UTF_8);
            assertThat(row).contains("secret", "4711", "\"v\":1");
            byte[] newer = row.replace("\"v\":1", "\"v\":99").getBytes(StandardCharsets.UTF_8);
            add(context, "newer", newer, label("Mails.send", null, Instant.EPOCH), Duration.ofHours(1));

            StoredCall call = calls(context).find("newer").orElseThrow();

            assertThat(call.problem()).isEqualTo("it has format 99, but this process supports 1");
            assertThat(call.arguments()).isNull();
        });
    }

    @Test
    void anOperatorHasACallMadeNow() {
        application().run(context -> {
            mails(context).send("ann@shop.example", "secret");
            String id = only(context);
            Mails.error = null;

            assertThat(calls(context).runNow(id)).isTrue();
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(Mails.sent).containsExactly("ann@shop.example");
            assertThat(calls(context).runNow(id)).isFalse();
        });
    }

    @Test
    void aCallThatIsGivenUpIsADeadLetterWithTheReasonAndCanBeSentAgain() {
        List<StoredCallEvent> events = new CopyOnWriteArrayList<>();
        application()
                .withInitializer(context -> context.addApplicationListener(event -> {
                    if (event instanceof PayloadApplicationEvent<?> payload
                            && payload.getPayload() instanceof StoredCallEvent letter) {
                        events.add(letter);
                    }
                }))
                .run(context -> {
                    mails(context).send("ann@shop.example", "secret");
                    String id = only(context);

                    assertThat(calls(context).by("alice").giveUp(id, "wrong address"))
                            .isTrue();
                    assertThat(DurableTrial.stored(context)).isZero();
                    assertThat(calls(context).by("alice").giveUp(id, "again")).isFalse();
                    DeadLetter letter = DurableTrial.deadLetters(context).get(0);
                    assertThat(letter.id()).isEqualTo(id);
                    assertThat(letter.reason()).isEqualTo(StopReason.SWITCHED_OFF);
                    assertThat(letter.state()).isEqualTo(State.DEAD);
                    assertThat(letter.errorType()).isEqualTo(IOException.class.getName());
                    assertThat(letter.failures()).hasSize(1);
                    assertThat(letter.actions()).singleElement().satisfies(action -> {
                        assertThat(action.by()).isEqualTo("alice");
                        assertThat(action.detail()).isEqualTo("wrong address");
                    });
                    assertThat(events).extracting(StoredCallEvent::id).containsExactly(id);

                    Mails.error = null;
                    assertThat(context.getBean(StoredCalls.class).resend(id)).isTrue();
                    await().until(() -> Mails.sent.size() == 1);
                });
    }

    @Test
    void whatAWorkerHasIsNeitherHastenedNorGivenUp() {
        application().run(context -> {
            mails(context).send("ann@shop.example", "secret");
            String id = only(context);
            Mails.error = null;
            Mails.gate = new CountDownLatch(1);
            try {
                assertThat(calls(context).runNow(id)).isTrue();
                await().until(() -> ledger(context).find(id).orElseThrow().state() == State.RUNNING);
                assertThat(calls(context).runNow(id)).isFalse();
                assertThat(calls(context).giveUp(id, null)).isFalse();
            } finally {
                Mails.gate.countDown();
            }
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(Mails.sent).hasSize(1);
            assertThat(DurableTrial.deadLetters(context)).isEmpty();
        });
    }

    static class Mails {

        private static volatile IOException error;

        private static volatile CountDownLatch gate;

        private static final List<String> sent = new CopyOnWriteArrayList<>();

        @RetryOn(value = IOException.class, maxAttempts = 3, delay = "1h", maxDelay = "1d")
        @Durable(ON_FAILURE)
        public void send(String to, @Redacted String text) throws Exception {
            attempt();
            sent.add(to);
        }

        @RetryOn(value = IOException.class, maxAttempts = 3, delay = "1h", maxDelay = "1d")
        @Durable(ON_FAILURE)
        public void remind(int invoice) throws Exception {
            attempt();
        }

        private static void attempt() throws Exception {
            if (error != null) {
                throw error;
            }
            if (gate != null) {
                assertThat(gate.await(30, TimeUnit.SECONDS)).isTrue();
            }
        }
    }
}
