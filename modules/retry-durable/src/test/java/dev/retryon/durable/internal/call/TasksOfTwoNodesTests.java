// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.StoredCalls.Bulk;
import dev.retryon.durable.StoredCalls.Filter;
import dev.retryon.durable.StoredCalls.Task;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.letter.Letters;
import dev.retryon.durable.internal.store.TestServer;
import dev.retryon.spring.RetryOn;
import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * One node runs a bulk task, all nodes run its calls, show it and cancel it. The number of calls is
 * {@code -Ddurability.letters=20000}, 400 by default.
 */
@Tag("database")
@Tag("endurance")
class TasksOfTwoNodesTests {

    private static final int LETTERS = Integer.getInteger("durability.letters", 400);

    private static final Duration LONG = Duration.ofMinutes(5);

    private final Mails mails = new Mails();

    private ApplicationContextRunner node(String url) {
        return DurableTrial.inMemory()
                .withPropertyValues(
                        "spring.datasource.url=" + url,
                        "retryon.jdbc.initialize-schema=always",
                        "retryon.durable.threads=3",
                        "retryon.durable.heartbeat-interval=500ms")
                .withBean("mails", Mails.class, () -> mails);
    }

    private static StoredCalls calls(ApplicationContext context) {
        return context.getBean(StoredCalls.class);
    }

    private static void fill(ApplicationContext context) {
        CallStore store = context.getBean(CallStore.class);
        for (int i = 0; i < LETTERS; i++) {
            store.put(Letters.letter(
                    "id " + i,
                    Mails.class.getName() + "#send(java.lang.String)",
                    "[\"mail " + i + "\"]",
                    VirtualTime.START.plusMillis(i)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void eachCallIsResentOnceAlthoughTheStoreIsAwayForAWhile(TestServer server) {
        String url = server.database();
        JdbcTemplate jdbc = new JdbcTemplate(new DriverManagerDataSource(url));
        node(url)
                .run(one -> node(url).run(other -> {
                    fill(one);
                    Task task = calls(one).resendAll(Filter.ALL, Bulk.confirmed(200));
                    assertThat(calls(other).task()).contains(task);
                    assertThatIllegalStateException()
                            .isThrownBy(() -> calls(other).discardAll(Filter.ALL, null, Bulk.confirmed(1)))
                            .withMessage("task " + task.id() + " is running; wait until it ends, or cancel it");

                    await().until(() -> mails.sent.size() > 10);
                    jdbc.execute("alter table retryon_task rename to elsewhere");
                    await().during(Duration.ofSeconds(2)).until(() -> true);
                    jdbc.execute("alter table elsewhere rename to retryon_task");

                    await().atMost(LONG)
                            .until(() -> calls(other).task().orElseThrow().state() != Task.State.RUNNING);
                    Task seen = calls(other).task().orElseThrow();
                    assertThat(seen.state()).as(seen.failure()).isEqualTo(Task.State.DONE);
                    assertThat(seen.moved()).isEqualTo(LETTERS);
                    assertThat(task.state()).isEqualTo(Task.State.DONE);
                    assertThat(mails.sent)
                            .hasSize(LETTERS)
                            .allSatisfy((to, times) -> assertThat(times).as(to).isEqualTo(1));
                    assertThat(calls(one).count(Filter.of(State.RESOLVED))).isEqualTo(LETTERS);
                }));
    }

    @ParameterizedTest
    @EnumSource
    void anotherNodeCancelsIt(TestServer server) {
        String url = server.database();
        node(url)
                .run(one -> node(url).run(other -> {
                    fill(one);
                    Task task = calls(one).resendAll(Filter.ALL, Bulk.confirmed(20));
                    await().until(() -> mails.sent.size() > 5);

                    assertThat(calls(other).task().orElseThrow().cancel()).isTrue();

                    await().until(() -> task.state() == Task.State.CANCELLED);
                    // A call that was running might still be writing its end.
                    await().untilAsserted(() -> assertThat(calls(one).count(Filter.of(State.RESOLVED)))
                            .isEqualTo(mails.sent.size()));
                    assertThat(task.moved()).isEqualTo(mails.sent.size()).isLessThan(LETTERS);
                    assertThat(calls(one).count(Filter.of(State.DEAD))).isEqualTo(LETTERS - task.moved());
                }));
    }

    /** As if a process whose clock is behind had let a call die again: its place in the list is still to come. */
    @ParameterizedTest
    @EnumSource
    void aCallThatSeemsToHaveDiedBeforeIsNotResentAgain(TestServer server) {
        String url = server.database();
        JdbcTemplate jdbc = new JdbcTemplate(new DriverManagerDataSource(url));
        node(url).run(context -> {
            fill(context);
            mails.broken = "mail " + (LETTERS - 1);
            // The task reads the last page more than a second later, although it works five seconds ahead.
            Task task = calls(context).resendAll(Filter.ALL, Bulk.confirmed(30));
            await().until(() -> mails.sent.containsKey(mails.broken)
                    && calls(context).find("id " + (LETTERS - 1)).orElseThrow().state() == State.DEAD);
            String late = "update retryon_call set died_at = 1 where task_instance = ?";
            await().ignoreExceptionsInstanceOf(CannotAcquireLockException.class)
                    .until(() -> jdbc.update(late, "id " + (LETTERS - 1)) == 1);

            await().atMost(LONG).until(() -> task.state() == Task.State.DONE);
            assertThat(mails.sent).hasSize(LETTERS).containsEntry(mails.broken, 1);
            assertThat(task.skipped()).isEqualTo(1);
        });
    }

    static class Mails {

        final Map<String, Integer> sent = new ConcurrentHashMap<>();

        volatile String broken = "";

        @RetryOn(value = IOException.class, maxAttempts = 1)
        @Durable(ON_EXHAUSTION)
        public void send(String to) throws IOException {
            sent.merge(to, 1, Integer::sum);
            if (to.equals(broken)) {
                throw new IOException("down");
            }
        }
    }
}
