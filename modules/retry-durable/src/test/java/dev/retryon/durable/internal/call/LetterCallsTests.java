// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.RetryContext;
import dev.retryon.RetrySignal;
import dev.retryon.StopReason;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterFilter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.durable.DeadLetterEvent;
import dev.retryon.durable.DeadLetters;
import dev.retryon.durable.Durable;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.DeadLetterStore;
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

    private static DeadLetters letters(ApplicationContext context) {
        return context.getBean(DeadLetters.class);
    }

    private static DeadLetter letter(ApplicationContext context) {
        return context.getBean(DeadLetterStore.class).find(ID).orElseThrow();
    }

    private static void die(ApplicationContext context) {
        die(context, ID);
    }

    private static void die(ApplicationContext context, String id) {
        context.getBean(DeadLetterStore.class)
                .put(Letters.letter(
                        id,
                        Orders.class.getName() + "#place(java.lang.String)",
                        "[\"a\"]",
                        Instant.now().truncatedTo(ChronoUnit.MILLIS)));
    }

    private static void awaitStatus(ApplicationContext context, DeadLetterStatus status) {
        await().until(() -> letter(context).status() == status);
        assertThat(DurableTrial.stored(context)).isZero();
    }

    @Test
    void aDelayedReplaySurvivesItsProcess() {
        node().run(first -> {
            die(first);
            assertThat(letters(first).by("alice").retry(ID, Duration.ofHours(240)))
                    .isTrue();
            assertThat(DurableTrial.stored(first)).isOne();
        });

        node().run(second -> {
            assertThat(letter(second).status()).isEqualTo(DeadLetterStatus.RETRYING);
            assertThat(second.getBean(WaitingCalls.class).retry(ID)).isTrue();

            awaitStatus(second, DeadLetterStatus.RESOLVED);
            assertThat(orders.attempts).containsExactly(ID + " 1");
            assertThat(orders.threads).allMatch(name -> name.startsWith("retryon-worker-"));
            assertThat(letter(second).actions())
                    .extracting(action -> action.what() + " by " + action.by() + " " + action.detail())
                    .containsExactly("RETRYING by alice in 240h", "RESOLVED by null null");
            await().until(() -> second.getBean(Heard.class).of.contains(DeadLetterStatus.RESOLVED));
        });
    }

    @Test
    void aReplayThatWaitsForItsNextAttemptSurvivesItsProcess() {
        orders.failures = 1;
        node().withPropertyValues("retryon.methods[" + Orders.class.getName() + "#place(java.lang.String)].delay=1h")
                .run(first -> {
                    die(first);
                    assertThat(letters(first).retry(ID)).isTrue();
                    await().until(() -> orders.attempts.size() == 1);
                    await().until(() -> first.getBean(CallEngine.class)
                                    .backlog()
                                    .get("default")
                                    .waiting()
                            == 1);
                });

        node().run(second -> {
            assertThat(letter(second).status()).isEqualTo(DeadLetterStatus.RETRYING);
            assertThat(second.getBean(WaitingCalls.class).retry(ID)).isTrue();

            awaitStatus(second, DeadLetterStatus.RESOLVED);
            assertThat(orders.attempts).containsExactly(ID + " 1", ID + " 2");
        });
    }

    @Test
    void aCallThatFailsAgainIsDeadAgainWithBothHistories() {
        orders.failures = Integer.MAX_VALUE;
        node().run(context -> {
            die(context);

            assertThat(letters(context).retry(ID)).isTrue();

            await().until(() -> letter(context).failures().size() == 4);
            awaitStatus(context, DeadLetterStatus.DEAD);
            assertThat(letter(context).arguments()).isEqualTo("[\"a\"]");
            assertThat(letter(context).reason()).isEqualTo(StopReason.EXHAUSTED);
            await().until(() -> context.getBean(Heard.class).of.size() == 2);
            assertThat(context.getBean(Heard.class).of)
                    .containsExactly(DeadLetterStatus.RETRYING, DeadLetterStatus.DEAD);

            orders.failures = 0;
            assertThat(letters(context).retry(ID)).isTrue();
            awaitStatus(context, DeadLetterStatus.RESOLVED);
        });
    }

    @Test
    void theCallOfAnOutboxMethodIsStoredOnce() {
        node().withPropertyValues(
                        "retryon.methods[" + Orders.class.getName() + "#place(java.lang.String)].durable.mode=outbox")
                .run(context -> {
                    die(context);

                    assertThat(letters(context).retry(ID)).isTrue();

                    awaitStatus(context, DeadLetterStatus.RESOLVED);
                    assertThat(orders.attempts).containsExactly(ID + " 1");
                });
    }

    @Test
    void aCallThatDiscardsItselfDiscardsItsDeadLetter() {
        orders.isDiscarding = true;
        node().run(context -> {
            die(context);

            assertThat(letters(context).retry(ID)).isTrue();

            awaitStatus(context, DeadLetterStatus.DISCARDED);
        });
    }

    @Test
    void aDeadLetterWhoseCallIsStoredIsNeitherRunTwiceNorDiscarded() {
        node().run(first -> node(otherOrders).run(second -> {
            die(first);
            assertThat(letters(first).retry(ID, Duration.ofHours(1))).isTrue();

            assertThat(letters(second).retry(ID)).isFalse();
            assertThat(letters(second).discard(ID, "not needed")).isFalse();
            assertThat(letters(first).retry(ID)).isFalse();

            assertThat(DurableTrial.stored(first)).isOne();
        }));
    }

    @Test
    void aStoredCallThatIsGivenUpIsDeadAgain() {
        node().run(context -> {
            die(context);
            letters(context).retry(ID, Duration.ofHours(1));

            assertThat(context.getBean(WaitingCalls.class).giveUp(ID, "bob", "wrong order"))
                    .isTrue();

            awaitStatus(context, DeadLetterStatus.DEAD);
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
                letters(context).retry(id, Duration.ofHours(1));
            }
            DurableTrial.store(context)
                    .jdbc()
                    .sql("update retryon_call set task_data = :data")
                    .param("data", "nonsense".getBytes(StandardCharsets.UTF_8))
                    .update();

            assertThat(context.getBean(WaitingCalls.class).retry("worked")).isTrue();
            assertThat(context.getBean(WaitingCalls.class).giveUp("given up", null, null))
                    .isTrue();

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(DurableTrial.deadLetters(context)).hasSize(2).allSatisfy(letter -> {
                assertThat(letter.status()).isEqualTo(DeadLetterStatus.DEAD);
                assertThat(letter.reason()).isEqualTo(StopReason.UNRESOLVABLE);
                assertThat(letter.arguments()).isEqualTo("[\"a\"]");
                assertThat(letter.method()).isEqualTo(Orders.class.getName() + "#place(java.lang.String)");
                assertThat(letters(context).retry(letter.id())).isTrue();
            });
            await().until(() -> letters(context).count(DeadLetterFilter.of(DeadLetterStatus.RESOLVED)) == 2);
        });
    }

    @Test
    void aCallWhoseStateWasEditedIsResent() {
        node().run(context -> {
            die(context);
            letters(context).retry(ID, Duration.ofHours(1));
            DurableTrial.store(context)
                    .jdbc()
                    .sql("update retryon_call set state = 'DEAD'")
                    .update();

            assertThat(letters(context).retry(ID, Duration.ofHours(1))).isTrue();

            assertThat(letter(context).status()).isEqualTo(DeadLetterStatus.RETRYING);
            assertThat(DurableTrial.stored(context)).isOne();
        });
    }

    /** As one that measures it. */
    @Test
    void aProxyOfTheStoreDoesNotMatter() {
        node().withBean("proxying", BeanPostProcessor.class, () -> new BeanPostProcessor() {
                    @Override
                    public Object postProcessAfterInitialization(Object bean, String name) {
                        return bean instanceof DeadLetterStore ? new ProxyFactory(bean).getProxy() : bean;
                    }
                })
                .run(context -> {
                    die(context);
                    assertThat(AopUtils.isJdkDynamicProxy(context.getBean(DeadLetterStore.class)))
                            .isTrue();

                    assertThat(letters(context).retry(ID)).isTrue();

                    awaitStatus(context, DeadLetterStatus.RESOLVED);
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

            DeadLetters.Task task = letters(context).retryAll(DeadLetterFilter.ALL, DeadLetters.Bulk.confirmed(10_000));
            await().until(() -> task.moved() == 5);
            await().during(Duration.ofMillis(300)).until(() -> task.state() == DeadLetters.Task.State.RUNNING);

            gate.countDown();
            await().until(() -> task.state() == DeadLetters.Task.State.DONE);
            assertThat(letters(context).count(DeadLetterFilter.of(DeadLetterStatus.RESOLVED)))
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

        final List<DeadLetterStatus> of = new CopyOnWriteArrayList<>();

        @EventListener
        void on(DeadLetterEvent event) {
            of.add(event.action().what());
        }
    }
}
