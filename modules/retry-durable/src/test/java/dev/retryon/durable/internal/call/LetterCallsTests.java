// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.RetryContext;
import dev.retryon.RetrySignal;
import dev.retryon.StopReason;
import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCall.Action.What;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCallEvent;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.durable.internal.letter.Letters;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.EventListener;

/** The calls of dead letters of durable methods are stored calls: they survive the process, and hold no thread while they wait. */
class LetterCallsTests {

    private static final String ID = "the-id";

    private final Orders orders = new Orders();

    private final Orders otherOrders = new Orders();

    @TempDir
    private Path folder;

    private @Nullable ApplicationContextRunner database;

    /** Applications with a database that outlives them. */
    ApplicationContextRunner database() {
        return DurableTrial.embedded(folder);
    }

    private ApplicationContextRunner node(Orders bean) {
        if (database == null) {
            database = database();
        }
        return database.withBean("orders", Orders.class, () -> bean).withBean(Heard.class);
    }

    private ApplicationContextRunner node() {
        return node(orders);
    }

    private static StoredCalls letters(ApplicationContext context) {
        return context.getBean(StoredCalls.class);
    }

    private static DeadLetter letter(ApplicationContext context) {
        return context.getBean(CallStore.class).died(ID).orElseThrow();
    }

    private static void die(ApplicationContext context) {
        die(context, ID);
    }

    private static void die(ApplicationContext context, String id) {
        context.getBean(CallStore.class)
                .put(Letters.letter(
                        id,
                        Orders.class.getName() + "#place(java.lang.String)",
                        "[\"a\"]",
                        Instant.now().truncatedTo(ChronoUnit.MILLIS)));
    }

    private static void awaitStatus(ApplicationContext context, State status) {
        await().until(() -> letter(context).state() == status);
        assertThat(DurableTrial.stored(context)).isZero();
    }

    @Test
    void aDelayedReplaySurvivesItsProcess() {
        node().run(first -> {
            die(first);
            assertThat(letters(first).by("alice").resend(ID, Duration.ofHours(240)))
                    .isTrue();
            assertThat(DurableTrial.stored(first)).isOne();
        });

        node().run(second -> {
            assertThat(letter(second).state()).isEqualTo(State.WAITING);
            assertThat(second.getBean(StoredCalls.class).runNow(ID)).isTrue();

            awaitStatus(second, State.RESOLVED);
            assertThat(orders.attempts).containsExactly(ID + " 1");
            assertThat(orders.threads).allMatch(name -> name.startsWith("retryon-worker-"));
            assertThat(letter(second).actions())
                    .extracting(action -> action.what() + " by " + action.by() + " " + action.detail())
                    .containsExactly("RESENT by alice in 240h", "RESOLVED by null null");
            await().until(() -> second.getBean(Heard.class).of.contains(What.RESOLVED));
        });
    }

    @Test
    void aReplayThatWaitsForItsNextAttemptSurvivesItsProcess() {
        orders.failures = 1;
        node().withPropertyValues("retryon.methods[" + Orders.class.getName() + "#place(java.lang.String)].delay=1h")
                .run(first -> {
                    die(first);
                    assertThat(letters(first).resend(ID)).isTrue();
                    await().until(() -> orders.attempts.size() == 1);
                    StoredCalls.Filter waiting = StoredCalls.Filter.of(State.WAITING);
                    await().until(() -> letters(first).count(waiting) == 1);
                });

        node().run(second -> {
            assertThat(letter(second).state()).isEqualTo(State.WAITING);
            assertThat(second.getBean(StoredCalls.class).runNow(ID)).isTrue();

            awaitStatus(second, State.RESOLVED);
            assertThat(orders.attempts).containsExactly(ID + " 1", ID + " 2");
        });
    }

    @Test
    void aCallThatFailsAgainIsDeadAgainWithBothHistories() {
        orders.failures = Integer.MAX_VALUE;
        node().run(context -> {
            die(context);

            assertThat(letters(context).resend(ID)).isTrue();

            await().until(() -> letter(context).failures().size() == 4);
            awaitStatus(context, State.DEAD);
            assertThat(letter(context).arguments()).isEqualTo("[\"a\"]");
            assertThat(letter(context).reason()).isEqualTo(StopReason.EXHAUSTED);
            await().until(() -> context.getBean(Heard.class).of.size() == 2);
            assertThat(context.getBean(Heard.class).of).containsExactly(What.RESENT, What.DIED);

            orders.failures = 0;
            assertThat(letters(context).resend(ID)).isTrue();
            awaitStatus(context, State.RESOLVED);
        });
    }

    @Test
    void theCallOfAnOutboxMethodIsStoredOnce() {
        node().withPropertyValues(
                        "retryon.methods[" + Orders.class.getName() + "#place(java.lang.String)].durable.mode=outbox")
                .run(context -> {
                    die(context);

                    assertThat(letters(context).resend(ID)).isTrue();

                    awaitStatus(context, State.RESOLVED);
                    assertThat(orders.attempts).containsExactly(ID + " 1");
                });
    }

    @Test
    void aCallThatDiscardsItselfDiscardsItsDeadLetter() {
        orders.isDiscarding = true;
        node().run(context -> {
            die(context);

            assertThat(letters(context).resend(ID)).isTrue();

            awaitStatus(context, State.DISCARDED);
        });
    }

    @Test
    void aDeadLetterWhoseCallIsStoredIsNeitherRunTwiceNorDiscarded() {
        node().run(first -> node(otherOrders).run(second -> {
            die(first);
            assertThat(letters(first).resend(ID, Duration.ofHours(1))).isTrue();

            assertThat(letters(second).resend(ID)).isFalse();
            assertThat(letters(second).discard(ID, "not needed")).isFalse();
            assertThat(letters(first).resend(ID)).isFalse();

            assertThat(DurableTrial.stored(first)).isOne();
        }));
    }

    @Test
    void aStoredCallThatIsGivenUpIsDeadAgain() {
        node().run(context -> {
            die(context);
            letters(context).resend(ID, Duration.ofHours(1));

            assertThat(context.getBean(StoredCalls.class).by("bob").giveUp(ID, "wrong order"))
                    .isTrue();

            awaitStatus(context, State.DEAD);
            assertThat(letter(context).actions()).last().satisfies(action -> {
                assertThat(action.by()).isEqualTo("bob");
                assertThat(action.detail()).isEqualTo("wrong order");
            });
            assertThat(letters(context).discard(ID, null)).isTrue();
        });
    }

    @Test
    void aDeadLetterWhoseStoredCallCannotBeReadKeepsItsMethodAndItsArguments() {
        node().run(context -> {
            for (String id : List.of("worked", "given up")) {
                die(context, id);
                letters(context).resend(id, Duration.ofHours(1));
            }
            DurableTrial.store(context)
                    .jdbc()
                    .sql("update retryon_call set task_data = :data")
                    .param("data", "nonsense".getBytes(StandardCharsets.UTF_8))
                    .update();

            assertThat(context.getBean(StoredCalls.class).runNow("worked")).isTrue();
            assertThat(context.getBean(StoredCalls.class).giveUp("given up", null))
                    .isTrue();

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(DurableTrial.deadLetters(context)).hasSize(2).allSatisfy(letter -> {
                assertThat(letter.state()).isEqualTo(State.DEAD);
                assertThat(letter.reason()).isEqualTo(StopReason.UNRESOLVABLE);
                assertThat(letter.arguments()).isEqualTo("[\"a\"]");
                assertThat(letter.method()).isEqualTo(Orders.class.getName() + "#place(java.lang.String)");
                assertThat(letters(context).resend(letter.id())).isTrue();
            });
            await().until(() -> letters(context).count(StoredCalls.Filter.of(State.RESOLVED)) == 2);
        });
    }

    @Test
    void aCallWhoseStateWasEditedIsResent() {
        node().run(context -> {
            die(context);
            letters(context).resend(ID, Duration.ofHours(1));
            DurableTrial.store(context)
                    .jdbc()
                    .sql("update retryon_call set state = 'DEAD'")
                    .update();

            assertThat(letters(context).resend(ID, Duration.ofHours(1))).isTrue();

            assertThat(letter(context).state()).isEqualTo(State.WAITING);
            assertThat(DurableTrial.stored(context)).isOne();
        });
    }

    /** As one that measures it. */
    @Test
    void aProxyOfTheStoreDoesNotMatter() {
        node().withBean("proxying", BeanPostProcessor.class, () -> new BeanPostProcessor() {
                    @Override
                    public Object postProcessAfterInitialization(Object bean, String name) {
                        return bean instanceof CallStore ? new ProxyFactory(bean).getProxy() : bean;
                    }
                })
                .run(context -> {
                    die(context);
                    assertThat(AopUtils.isJdkDynamicProxy(context.getBean(CallStore.class)))
                            .isTrue();

                    assertThat(letters(context).resend(ID)).isTrue();

                    awaitStatus(context, State.RESOLVED);
                });
    }

    @Test
    void aBulkTaskIsDoneWhenItsCallsAre() {
        CountDownLatch gate = new CountDownLatch(1);
        orders.gate = gate;
        node().run(context -> {
            for (int i = 0; i < 5; i++) {
                die(context, "id " + i);
            }

            StoredCalls.Task task =
                    letters(context).resendAll(StoredCalls.Filter.ALL, StoredCalls.Bulk.confirmed(10_000));
            await().until(() -> task.moved() == 5);
            await().during(Duration.ofMillis(300)).until(() -> task.state() == StoredCalls.Task.State.RUNNING);

            gate.countDown();
            await().until(() -> task.state() == StoredCalls.Task.State.DONE);
            assertThat(letters(context).count(StoredCalls.Filter.of(State.RESOLVED)))
                    .isEqualTo(5);
        });
    }

    static class Orders {

        volatile int failures;

        volatile boolean isDiscarding;

        volatile CountDownLatch gate = new CountDownLatch(0);

        final List<String> attempts = new CopyOnWriteArrayList<>();

        final List<String> threads = new CopyOnWriteArrayList<>();

        @RetryOn(value = IOException.class, maxAttempts = 3)
        @Durable(ON_FAILURE)
        public void place(String order) throws Exception {
            RetryContext call = RetryContext.current();
            attempts.add(call.callId() + " " + call.attempt());
            threads.add(Thread.currentThread().getName());
            gate.await();
            if (isDiscarding) {
                throw RetrySignal.discard("not needed");
            }
            if (call.attempt() <= failures) {
                throw new IOException("down");
            }
        }
    }

    static class Heard {

        final List<What> of = new CopyOnWriteArrayList<>();

        @EventListener
        void on(StoredCallEvent event) {
            of.add(event.action().what());
        }
    }
}
