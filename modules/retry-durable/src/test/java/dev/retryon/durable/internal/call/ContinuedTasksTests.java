// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;

import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCall.Action.What;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.StoredCalls.Bulk;
import dev.retryon.durable.StoredCalls.Filter;
import dev.retryon.durable.StoredCalls.Task;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.letter.Letters;
import dev.retryon.spring.RetryOn;
import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** A bulk task outlives the process that has started it, and takes back what has not run yet when it is cancelled. On SQLite. */
@Tag("slow")
class ContinuedTasksTests {

    private static final Filter WAITING = Filter.of(State.WAITING);

    @TempDir
    private Path folder;

    private final Mails mails = new Mails();

    /** A database that outlives an application. */
    ApplicationContextRunner newDatabase() {
        return DurableTrial.embedded(folder);
    }

    private ApplicationContextRunner application() {
        return newDatabase()
                .withPropertyValues("retryon.durable.threads=2", "retryon.durable.heartbeat-interval=200ms")
                .withBean("mails", Mails.class, () -> mails);
    }

    private static StoredCalls calls(ApplicationContext context) {
        return context.getBean(StoredCalls.class);
    }

    private static void fill(ApplicationContext context, int letters) {
        CallStore store = context.getBean(CallStore.class);
        for (int i = 0; i < letters; i++) {
            store.put(Letters.letter(
                    "id " + i,
                    Mails.class.getName() + "#print(java.lang.String)",
                    "[\"mail " + i + "\"]",
                    VirtualTime.START.plusMillis(i)));
        }
    }

    private static Map<String, Integer> eachOnce(int number) {
        return IntStream.range(0, number).boxed().collect(Collectors.toMap(i -> "mail " + i, i -> 1));
    }

    private static Task ended(ApplicationContext context, Task.State state) {
        await().until(() -> calls(context).task().orElseThrow().state() != Task.State.RUNNING);
        Task task = calls(context).task().orElseThrow();
        assertThat(task.state()).as(task.failure()).isEqualTo(state);
        return task;
    }

    @Test
    void anotherProcessResendsTheRestOnce() {
        ApplicationContextRunner application = application();
        String[] id = new String[1];
        application.run(context -> {
            fill(context, 300);
            Task task = calls(context).by("alice").resendAll(Filter.ALL, Bulk.confirmed(40));
            await().until(() -> mails.sent.size() > 10);
            id[0] = task.id();
        });

        application.run(context -> {
            assertThat(calls(context).task().map(Task::state)).contains(Task.State.RUNNING);
            Task task = ended(context, Task.State.DONE);

            assertThat(task.id()).isEqualTo(id[0]);
            assertThat(task.matched()).isEqualTo(300);
            assertThat(task.moved()).isEqualTo(300);
            assertThat(task.skipped()).isZero();
            assertThat(mails.sent).isEqualTo(eachOnce(300));
            assertThat(calls(context).count(Filter.of(State.RESOLVED))).isEqualTo(300);
            assertThat(calls(context).find("id 0").orElseThrow().actions())
                    .extracting(StoredCall.Action::what, StoredCall.Action::by)
                    .contains(tuple(What.RESENT, "alice"));
        });
    }

    @Test
    void anotherProcessGivesUpTheRest() throws IOException {
        ApplicationContextRunner application = application();
        application.run(context -> {
            for (int i = 0; i < 60; i++) {
                context.getBean(Mails.class).send("mail " + i);
            }
            Task task = calls(context).by("bob").giveUpAll(WAITING, "partner has closed", Bulk.confirmed(20));
            await().until(() -> task.moved() > 4);
        });

        application.run(context -> {
            Task task = ended(context, Task.State.DONE);

            assertThat(task.action()).isEqualTo(Task.Action.GIVE_UP);
            assertThat(task.moved()).isEqualTo(60);
            assertThat(task.skipped()).isZero();
            assertThat(DurableTrial.deadLetters(context))
                    .hasSize(60)
                    .allSatisfy(letter -> assertThat(letter.actions())
                            .extracting(action -> action.by() + ": " + action.detail())
                            .containsExactly("bob: partner has closed"));
        });
    }

    /** After a failover of the database, for example. */
    @Test
    void aTaskContinuesAlthoughTheClockOfTheDatabaseIsSetBack() {
        ApplicationContextRunner application = application();
        application.run(context -> {
            fill(context, 20);
            Task task = calls(context).discardAll(Filter.ALL, null, Bulk.confirmed(10));
            await().until(() -> task.moved() > 3 && delayTask(context));
            assertThat(ended(context, Task.State.DONE).moved()).isEqualTo(20);
        });
    }

    /** As if its next call were due much later. Returns whether the task has not changed meanwhile. */
    private static boolean delayTask(ApplicationContext context) {
        String progress = column(context, "progress");
        String later = progress.replaceFirst("(\"next\":\"?)\\d{4}-", "$12999-");
        assertThat(later).isNotEqualTo(progress);
        return DurableTrial.store(context)
                .write(() -> DurableTrial.store(context)
                                .jdbc()
                                .sql("update retryon_task set progress = ?, version = version + 1 where progress = ?")
                                .params(later, progress)
                                .update()
                        == 1);
    }

    @Test
    void aTaskOfALivingProcessIsLeftToIt() {
        ApplicationContextRunner application = application();
        application.run(context -> {
            fill(context, 20);
            calls(context).discardAll(Filter.ALL, null, Bulk.confirmed(10));
        });
        application.run(context -> {
            await().until(() -> calls(context).task().orElseThrow().moved() > 3);
            // As if another process had taken it.
            DurableTrial.store(context).writeSingle(() -> {
                DurableTrial.store(context)
                        .jdbc()
                        .sql(
                                "insert into retryon_node (application, id, name, methods, lanes, started_at, seen_at, expires_at)"
                                        + " select application, 'other', 'other', '', '', 0, 0, 9000000000000 from retryon_task")
                        .update();
            });
            DurableTrial.store(context)
                    .writeSingle(() -> DurableTrial.store(context)
                            .jdbc()
                            .sql("update retryon_task set node = 'other', version = version + 1")
                            .update());
            long moved = calls(context).task().orElseThrow().moved();
            await().during(Duration.ofSeconds(1))
                    .until(() -> calls(context).task().orElseThrow().moved() == moved);

            DurableTrial.store(context)
                    .writeSingle(() -> DurableTrial.store(context)
                            .jdbc()
                            .sql("update retryon_node set expires_at = 0 where id = 'other'")
                            .update());
            assertThat(ended(context, Task.State.DONE).moved()).isEqualTo(20);
            assertThat(calls(context).count(Filter.of(State.DISCARDED))).isEqualTo(20);
        });
    }

    @Test
    void cancelMakesWhatHasNotRunDeadAgain() {
        application().run(context -> {
            fill(context, 30);
            Task task = calls(context).resendAll(Filter.ALL, Bulk.confirmed(2));
            await().until(() -> calls(context).count(Filter.of(State.RESOLVED)) > 1);
            assertThat(calls(context).count(WAITING)).isGreaterThan(4);

            assertThat(task.cancel()).isTrue();
            assertThat(ended(context, Task.State.CANCELLED).moved()).isEqualTo(mails.sent.size());

            assertThat(task.cancel()).isFalse();
            assertThat(task.state()).isEqualTo(Task.State.CANCELLED);
            assertThat(calls(context).count(WAITING)).isZero();
            long resolved = calls(context).count(Filter.of(State.RESOLVED));
            assertThat(resolved).isBetween(2L, 6L).isEqualTo(mails.sent.size());
            assertThat(calls(context).count(Filter.of(State.DEAD))).isEqualTo(30 - resolved);
            // The latest are sent first.
            StoredCall again = calls(context).find("id 21").orElseThrow();
            assertThat(again.attempts()).isEqualTo(1);
            assertThat(again.failures()).hasSize(1);
            assertThat(again.actions())
                    .extracting(StoredCall.Action::what, StoredCall.Action::detail)
                    .containsExactly(
                            tuple(What.RESENT, null),
                            tuple(What.DIED, "the bulk task was cancelled before the call ran"));
            assertThat(calls(context).resend("id 21")).isTrue();
            await().until(() -> calls(context).find("id 21").orElseThrow().state() == State.RESOLVED);
        });
    }

    @Test
    void cancelRestoresDueTimes() throws IOException {
        application().run(context -> {
            for (int i = 0; i < 20; i++) {
                context.getBean(Mails.class).send("mail " + i);
            }
            Map<String, Instant> due = dueTimes(context);
            mails.down = true;
            Task task = calls(context).runAllNow(WAITING, Bulk.confirmed(2));
            await().until(() -> task.moved() > 6 && runAgain(context).size() > 1);

            assertThat(task.cancel()).isTrue();
            ended(context, Task.State.CANCELLED);

            Map<String, Instant> now = dueTimes(context);
            Set<String> again = runAgain(context);
            assertThat(again).hasSizeLessThan(10);
            assertThat(now).hasSize(20);
            now.forEach((id, at) -> {
                if (again.contains(id)) {
                    assertThat(at).as(id).isAfter(due.get(id));
                } else {
                    assertThat(at).as(id).isEqualTo(due.get(id));
                }
            });
            assertThat(task.moved()).isEqualTo(again.size());
        });
    }

    /** The calls that have failed twice. */
    private static Set<String> runAgain(ApplicationContext context) {
        return calls(context).list(WAITING, null, 100).calls().stream()
                .filter(call -> call.attempts() == 2)
                .map(StoredCalls.Summary::id)
                .collect(Collectors.toSet());
    }

    private static Map<String, Instant> dueTimes(ApplicationContext context) {
        return calls(context).list(Filter.of(State.WAITING, State.RUNNING), null, 100).calls().stream()
                .collect(Collectors.toMap(StoredCalls.Summary::id, StoredCalls.Summary::due));
    }

    @Test
    void aFilterIsKeptWhateverItContains() {
        String hostile = "\uD800 \u0000 \uD83D\uDE00 \u00E4 ' \" \\ % ! _ {} [] \n";
        ApplicationContextRunner application = application();
        application.run(context -> {
            fill(context, 3);
            Filter filter =
                    new Filter(Collections.emptySet(), hostile, hostile, hostile, hostile, Instant.MIN, Instant.MAX);
            calls(context).discardAll(filter, hostile, Bulk.confirmed(1));
            ended(context, Task.State.DONE);
            calls(context).discardAll(Filter.ALL, hostile, Bulk.confirmed(1));
        });

        application.run(context -> {
            ended(context, Task.State.DONE);
            assertThat(calls(context).count(Filter.of(State.DISCARDED))).isEqualTo(3);
            assertThat(calls(context)
                            .find("id 0")
                            .orElseThrow()
                            .actions()
                            .get(0)
                            .detail())
                    .contains("\uD83D\uDE00 \u00E4 ' \" \\ % ! _ {} [] \n");
        });
    }

    /** After a rollback of the application, for example. A filter with an unknown condition would select too many calls. */
    @Test
    void aTaskThatCannotBeReadIsNeitherShownNorContinued() {
        application().run(context -> {
            fill(context, 1);
            Task ended = calls(context).discardAll(Filter.ALL, null, Bulk.confirmed(10));
            ended(context, Task.State.DONE);
            String task = column(context, "task");
            String progress = column(context, "progress");
            fill(context, 3);
            List<List<String>> unreadable = List.of(
                    List.of("{", progress),
                    List.of("null", progress),
                    List.of("{}", progress),
                    List.of(task.replaceAll("\"filter\":\\{[^}]*}", "\"filter\":null"), progress),
                    List.of(task, "{}"),
                    List.of(task.replace("DISCARD", "ARCHIVE"), progress),
                    List.of(task.replace("DEAD", "PARKED"), progress),
                    List.of(task, "null"),
                    List.of(task, progress.replace("DONE", "PAUSED")),
                    List.of(
                            task.replace("\"filter\":{", "\"filter\":{\"tenant\":\"blue\","),
                            progress.replace("DONE", "RUNNING").replace("ENDING", "CHANGING")));
            for (List<String> row : unreadable) {
                assertThat(row).isNotEqualTo(List.of(task, progress));
                DurableTrial.store(context)
                        .writeSingle(() -> DurableTrial.store(context)
                                .jdbc()
                                .sql("update retryon_task set task = ?, progress = ?, running = true, node = 'gone'")
                                .params(row)
                                .update());

                assertThat(calls(context).task()).as("%s", row).isEmpty();
                assertThatIllegalStateException()
                        .isThrownBy(() -> calls(context).discardAll(Filter.ALL, null, Bulk.confirmed(10)))
                        .withMessageContaining(ended.id())
                        .withMessageContaining("delete its row from table retryon_task");
            }
            await().during(Duration.ofSeconds(1))
                    .until(() -> calls(context).count(Filter.of(State.DEAD)) == 3
                            && column(context, "node").equals("gone"));

            DurableTrial.store(context)
                    .writeSingle(() -> DurableTrial.store(context)
                            .jdbc()
                            .sql("delete from retryon_task")
                            .update());
            calls(context).discardAll(Filter.ALL, null, Bulk.confirmed(10));
            assertThat(ended(context, Task.State.DONE).moved()).isEqualTo(3);
        });
    }

    @Test
    void aTaskThatCannotBeReadHidesNoOtherThatHasEnded() {
        application().run(context -> {
            fill(context, 2);
            Task first = calls(context).discardAll(Filter.ALL.withText("id 0"), null, Bulk.confirmed(10));
            ended(context, Task.State.DONE);
            Task second = calls(context).discardAll(Filter.ALL, null, Bulk.confirmed(10));
            ended(context, Task.State.DONE);
            assertThat(calls(context).task()).contains(second);

            DurableTrial.store(context)
                    .writeSingle(() -> DurableTrial.store(context)
                            .jdbc()
                            .sql("update retryon_task set task = '{}' where id = ?")
                            .param(second.id())
                            .update());
            assertThat(calls(context).task()).contains(first);
        });
    }

    private static String column(ApplicationContext context, String name) {
        return DurableTrial.store(context)
                .jdbc()
                .sql("select " + name + " from retryon_task")
                .query(String.class)
                .single();
    }

    static class Mails {

        final Map<String, Integer> sent = new ConcurrentHashMap<>();

        @RetryOn(value = IOException.class, maxAttempts = 1)
        @Durable(ON_EXHAUSTION)
        public void print(String to) throws IOException {
            sent.merge(to, 1, Integer::sum);
        }

        private final Map<String, Integer> failed = new ConcurrentHashMap<>();

        private volatile boolean down;

        @RetryOn(value = IOException.class, delay = "1h", maxDelay = "1d")
        @Durable(ON_FAILURE)
        public void send(String to) throws IOException {
            if (failed.merge(to, 1, Integer::sum) == 1 || down) {
                throw new IOException("down");
            }
            sent.merge(to, 1, Integer::sum);
        }
    }
}
