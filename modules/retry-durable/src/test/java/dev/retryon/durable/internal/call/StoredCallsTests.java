// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import dev.retryon.StopReason;
import dev.retryon.durable.Durable;
import dev.retryon.durable.Redacted;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCall.Action.What;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.StoredCalls.Bulk;
import dev.retryon.durable.StoredCalls.Filter;
import dev.retryon.durable.StoredCalls.Task;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;

/** Calls in all states through the bean that applications use. */
class StoredCallsTests {

    @TempDir
    private Path folder;

    private final Mails mails = new Mails();

    private void run(ContextConsumer<AssertableApplicationContext> test) {
        DurableTrial.embedded(folder)
                .withBean("mails", Mails.class, () -> mails)
                .run(test);
    }

    private static StoredCalls calls(AssertableApplicationContext context) {
        return context.getBean(StoredCalls.class);
    }

    private static void send(AssertableApplicationContext context, int count) throws IOException {
        Mails bean = context.getBean(Mails.class);
        for (int i = 0; i < count; i++) {
            bean.send("ann" + i, "secret");
        }
    }

    private static String idOf(AssertableApplicationContext context, State state) {
        return calls(context).list(Filter.of(state), null, 1).calls().get(0).id();
    }

    @Test
    void callsInAllStatesAreFoundListedCountedAndGrouped() {
        run(context -> {
            send(context, 3);
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> context.getBean(Mails.class).print("bob"));
            StoredCalls calls = calls(context);

            assertThat(calls.count(Filter.ALL)).isEqualTo(4);
            assertThat(calls.count(Filter.of(State.WAITING, State.RUNNING))).isEqualTo(3);
            assertThat(calls.count(Filter.of(State.DEAD).withName("Mails.print")))
                    .isOne();
            assertThat(calls.count(Filter.of(State.DEAD).withErrorType("java.lang.Error")))
                    .isZero();
            assertThat(calls.count(Filter.of(State.WAITING).withLane("mail"))).isZero();
            assertThat(calls.count(Filter.ALL.withText("PRINT"))).isOne();
            assertThat(calls.groups(Filter.ALL, 10))
                    .extracting(StoredCalls.Group::name, StoredCalls.Group::state, StoredCalls.Group::count)
                    .containsExactly(tuple("Mails.send", State.WAITING, 3L), tuple("Mails.print", State.DEAD, 1L));
            assertThat(pages(calls, Filter.ALL))
                    .containsExactly(State.DEAD, State.WAITING, State.WAITING, State.WAITING);

            StoredCall waiting = calls.find(idOf(context, State.WAITING)).orElseThrow();
            assertThat(waiting.arguments()).contains("ann").doesNotContain("secret");
            assertThat(waiting.lane()).isEqualTo("default");
            assertThat(waiting.failures())
                    .extracting(StoredCall.Failure::errorMessage)
                    .containsExactly("down");
            StoredCall dead = calls.find(idOf(context, State.DEAD)).orElseThrow();
            assertThat(dead.reason()).isEqualTo(StopReason.EXHAUSTED);
            assertThat(dead.stackTrace()).startsWith("java.io.IOException: down");
            assertThat(dead.toString()).contains("DEAD").doesNotContain("bob");
            assertThat(calls.find("unknown")).isEmpty();
        });
    }

    private static List<State> pages(StoredCalls calls, Filter filter) {
        List<State> states = new ArrayList<>();
        String cursor = null;
        do {
            StoredCalls.Page page = calls.list(filter, cursor, 1);
            page.calls().forEach(call -> states.add(call.state()));
            cursor = page.next();
        } while (cursor != null);
        return states;
    }

    @Test
    void aCallIsGivenUpResentAndDiscardedByAPerson() {
        run(context -> {
            send(context, 1);
            String id = idOf(context, State.WAITING);
            StoredCalls calls = calls(context).by("alice");

            assertThat(calls.resend(id)).isFalse();
            assertThat(calls.discard(id, null)).isFalse();
            assertThat(calls.giveUp(id, "wrong address")).isTrue();
            assertThat(calls.runNow(id)).isFalse();
            assertThat(calls.giveUp(id, null)).isFalse();
            assertThat(calls.resend(id, Duration.ofHours(1))).isTrue();
            StoredCall resent = calls.find(id).orElseThrow();
            assertThat(resent.state()).isEqualTo(State.WAITING);
            assertThat(resent.diedAt()).isNotNull();
            assertThat(calls.giveUp(id, null)).isTrue();
            assertThat(calls.discard(id, "has left")).isTrue();

            StoredCall discarded = calls.find(id).orElseThrow();
            assertThat(discarded.state()).isEqualTo(State.DISCARDED);
            assertThat(discarded.actions())
                    .extracting(StoredCall.Action::what)
                    .containsExactly(What.DIED, What.RESENT, What.DIED, What.DISCARDED);
            assertThat(discarded.actions()).extracting(StoredCall.Action::by).containsOnly("alice");
        });
    }

    @Test
    void oneTaskAtATimeChangesManyCalls() {
        run(context -> {
            send(context, 5);
            StoredCalls calls = calls(context);

            Task dry = calls.giveUpAll(Filter.ALL, null, Bulk.dry());
            assertThat(dry.matched()).isEqualTo(5);
            done(calls.giveUpAll(Filter.of(State.WAITING), "moved", Bulk.confirmed(1_000)));
            assertThat(calls.count(Filter.of(State.DEAD))).isEqualTo(5);
            mails.down = false;
            done(calls.resendAll(Filter.ALL.withName("Mails.send"), Bulk.confirmed(1_000)));
            assertThat(mails.sent).hasSize(5);
            assertThat(calls.count(Filter.of(State.RESOLVED))).isEqualTo(5);
            assertThat(calls.task()).map(Task::action).contains(Task.Action.RESEND);
        });
    }

    private static void done(Task task) {
        await().until(() -> task.state() == Task.State.DONE);
    }

    @Test
    void whatCannotMatchIsRefused() {
        run(context -> {
            StoredCalls calls = calls(context);

            assertThatIllegalArgumentException()
                    .isThrownBy(() -> calls.list(Filter.ALL, null, 0))
                    .withMessageContaining("at least 1");
            assertThatIllegalArgumentException().isThrownBy(() -> calls.list(Filter.ALL, "WAITING", 1));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> calls.resendAll(Filter.of(State.WAITING), Bulk.confirmed(1)))
                    .withMessageContaining("must include DEAD");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> calls.runAllNow(Filter.of(State.DEAD), Bulk.confirmed(1)));
        });
    }

    static class Mails {

        private volatile boolean down = true;

        private final List<String> sent = new CopyOnWriteArrayList<>();

        @RetryOn(value = IOException.class, maxAttempts = 3, delay = "1h", maxDelay = "1d")
        @Durable(ON_FAILURE)
        public void send(String to, @Redacted String text) throws IOException {
            print(to);
            sent.add(to);
        }

        @RetryOn(value = IOException.class, maxAttempts = 1)
        @Durable(ON_EXHAUSTION)
        public void print(String to) throws IOException {
            if (down) {
                throw new IOException("down");
            }
        }
    }
}
