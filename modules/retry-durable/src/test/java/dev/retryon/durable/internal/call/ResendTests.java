// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.retryon.AttemptTimeoutException;
import dev.retryon.DeadLettered;
import dev.retryon.RetryContext;
import dev.retryon.RetryDirective;
import dev.retryon.RetryEvent;
import dev.retryon.RetrySignal;
import dev.retryon.StopReason;
import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCall.Action.What;
import dev.retryon.durable.StoredCall.Failure;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCallEvent;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.StoredCalls.Bulk;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.durable.internal.letter.Letters;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.RetryRegistry;
import dev.retryon.spring.autoconfigure.RetryTelemetryAutoConfiguration;
import dev.retryon.spring.internal.control.RuntimeSettings;
import dev.retryon.spring.module.RuntimeChange;
import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.aopalliance.intercept.MethodInterceptor;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Calls of methods that are not durable are resent as stored calls: through the proxy, with their id and their arguments. */
@Tag("slow")
class ResendTests {

    private static final String SEND = Mails.class.getName() + "#send(java.lang.String)";

    /** The target, behind the proxy. */
    private final Mails mails = new Mails();

    @TempDir
    private Path folder;

    /** That of the application that runs. */
    private CallStore store;

    private final ApplicationContextRunner runner = mailing(DurableTrial.inMemory());

    private ApplicationContextRunner mailing(ApplicationContextRunner application) {
        return application.withBean(Heard.class).withBean("mails", Mails.class, () -> mails);
    }

    /** Applications that share a file. */
    private ApplicationContextRunner node() {
        return mailing(DurableTrial.embedded(folder));
    }

    private ContextConsumer<AssertableApplicationContext> on(ContextConsumer<AssertableApplicationContext> test) {
        return context -> {
            store = context.getBean(CallStore.class);
            test.accept(context);
        };
    }

    @Test
    void aCallThatSucceedsNowIsResolved() {
        runner.run(on(context -> {
            String id = die(context, "a");
            mails.down = false;

            assertThat(context.getBean(StoredCalls.class).by("alice").resend(id))
                    .isTrue();

            DeadLetter letter = ended(id, State.RESOLVED);
            assertThat(mails.attempts).containsExactly(id + " 1", id + " 2", id + " 1");
            assertThat(letter.failures()).hasSize(2);
            assertThat(letter.actions())
                    .extracting(action -> action.what() + " by " + action.by())
                    .containsExactly("RESENT by alice", "RESOLVED by null");
            await().until(() -> context.getBean(Heard.class).of(id).size() == 2);
            assertThat(context.getBean(Heard.class).of(id)).containsExactlyInAnyOrder(What.RESENT, What.RESOLVED);
        }));
    }

    @Test
    void aCallThatFailsAgainIsDeadAgainWithBothHistories() {
        runner.run(on(context -> {
            String id = die(context, "a");

            assertThat(context.getBean(StoredCalls.class).resend(id)).isTrue();

            awaitFailures(id, 4);
            DeadLetter letter = ended(id, State.DEAD);
            assertThat(letter.failures()).extracting(Failure::attempt).containsExactly(1, 2, 1, 2);
            assertThat(letter.attempts()).isEqualTo(2);
            assertThat(letter.reason()).isEqualTo(StopReason.EXHAUSTED);
            assertThat(letter.bean()).isEqualTo("mails");
            assertThat(store.count(StoredCalls.Filter.ALL)).isEqualTo(1);
            await().until(() -> context.getBean(Heard.class).of(id).size() == 2);
            assertThat(context.getBean(Heard.class).of(id)).containsExactlyInAnyOrder(What.RESENT, What.DIED);
            assertThat(context.getBean(StoredCalls.class).resend(id)).isTrue();
        }));
    }

    @ParameterizedTest
    @ValueSource(classes = {StoredCallEvent.class, DeadLettered.class})
    void aListenerOfItsOwnEventCanResendADeadLetter(Class<?> type) {
        List<Boolean> resent = Collections.synchronizedList(new ArrayList<>());
        runner.withConfiguration(AutoConfigurations.of(RetryTelemetryAutoConfiguration.class))
                .run(on(context -> {
                    String id = die(context, "a");
                    StoredCalls letters = context.getBean(StoredCalls.class);
                    context.getBean(Heard.class).then = event -> {
                        boolean died = !(event instanceof StoredCallEvent changed)
                                || changed.action().what() == What.DIED;
                        if (type.isInstance(event) && died) {
                            mails.down = false;
                            resent.add(letters.resend(id));
                        }
                    };

                    assertThat(letters.resend(id)).isTrue();

                    await().until(() -> !resent.isEmpty());
                    assertThat(resent).containsExactly(true);
                    ended(id, State.RESOLVED);
                }));
    }

    @Test
    void theCallPassesTheAdviceOfItsBean() {
        List<String> passed = Collections.synchronizedList(new ArrayList<>());
        MethodInterceptor security = invocation -> {
            passed.add(invocation.getMethod().getName());
            return invocation.proceed();
        };
        runner.withBean("security", DefaultPointcutAdvisor.class, () -> outermost(security))
                .run(on(context -> {
                    String id = die(context, "a");
                    passed.clear();
                    mails.down = false;

                    context.getBean(StoredCalls.class).resend(id);

                    ended(id, State.RESOLVED);
                    assertThat(passed).contains("send");
                }));
    }

    @Test
    void aCallThatAdviceRefusesIsDeadAgainWithTheCause() {
        AtomicBoolean denying = new AtomicBoolean();
        MethodInterceptor security = invocation -> {
            if (denying.get()) {
                throw new SecurityException("denied");
            }
            return invocation.proceed();
        };
        runner.withBean("security", DefaultPointcutAdvisor.class, () -> outermost(security))
                .run(on(context -> {
                    String id = die(context, "a");
                    denying.set(true);

                    assertThat(context.getBean(StoredCalls.class).resend(id)).isTrue();

                    awaitFailures(id, 3);
                    DeadLetter letter = ended(id, State.DEAD);
                    assertThat(letter.reason()).isEqualTo(StopReason.NOT_RETRYABLE);
                    assertThat(letter.errorType()).isEqualTo("java.lang.SecurityException");
                    assertThat(letter.errorMessage()).isEqualTo("denied");
                }));
    }

    @Test
    void attemptsThatChangeTheirArgumentsDoNotChangeTheStoredOnes() {
        runner.withBean(Baskets.class).run(on(context -> {
            List<String> basket = new ArrayList<>(List.of("a"));
            String id = idOf(() -> context.getBean(Baskets.class).fill(basket));
            assertThat(store.died(id).orElseThrow().arguments()).isEqualTo("{\"basket\":[\"a\",\"x\",\"x\"]}");

            context.getBean(StoredCalls.class).resend(id);

            awaitFailures(id, 4);
            assertThat(ended(id, State.DEAD).arguments()).isEqualTo("{\"basket\":[\"a\",\"x\",\"x\"]}");
        }));
    }

    @Test
    void whatIsInNoStateForItIsNotSentAgain() {
        runner.run(on(context -> {
            StoredCalls letters = context.getBean(StoredCalls.class);
            String id = die(context, "a");
            mails.down = false;
            CountDownLatch go = new CountDownLatch(1);
            mails.barrier = go;

            assertThat(letters.resend("unknown")).isFalse();
            assertThat(letters.discard("unknown", null)).isFalse();
            assertThat(letters.resend(id)).isTrue();
            assertThat(letters.resend(id)).isFalse();
            go.countDown();
            ended(id, State.RESOLVED);
            assertThat(letters.resend(id)).isFalse();
            assertThat(letters.discard(id, "done")).isFalse();
            assertThatIllegalArgumentException().isThrownBy(() -> letters.resend(id, Duration.ofSeconds(-1)));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> letters.resend(id, Duration.ofSeconds(Long.MAX_VALUE)))
                    .withMessageContaining("must be between 0s and 365d");
        }));
    }

    @Test
    void whatIsDiscardedKeepsTheReason() {
        runner.run(on(context -> {
            String id = die(context, "a");

            assertThat(context.getBean(StoredCalls.class).by("bob").discard(id, "a duplicate"))
                    .isTrue();

            DeadLetter letter = ended(id, State.DISCARDED);
            assertThat(letter.actions()).singleElement().satisfies(action -> {
                assertThat(action.by()).isEqualTo("bob");
                assertThat(action.detail()).isEqualTo("a duplicate");
            });
            assertThat(context.getBean(StoredCalls.class).resend(id)).isFalse();
        }));
    }

    @Test
    void anErrorCanDiscardACallThatWasSentAgain() {
        runner.run(on(context -> {
            String id = die(context, "a");
            mails.discarding = true;

            context.getBean(StoredCalls.class).resend(id);

            assertThat(ended(id, State.DISCARDED).actions().get(1).detail())
                    .isEqualTo("discarded because of the call's error or 'whenFailed'");
        }));
    }

    @ParameterizedTest
    @ValueSource(strings = {"future", "plainFuture", "mono", "flux", "async", "asyncFuture"})
    void callsWhoseResultComesLaterAreResolvedWhenItIsThere(String style) {
        runner.withUserConfiguration(AsyncConfiguration.class)
                .withBean(Later.class)
                .run(on(context -> {
                    start(context.getBean(Later.class), style);
                    await().until(() -> store.count(StoredCalls.Filter.ALL) == 1);
                    StoredCalls.Summary letter =
                            store.list(StoredCalls.Filter.ALL, null, 1).calls().get(0);
                    awaitFailures(letter.id(), 2);

                    context.getBean(StoredCalls.class).resend(letter.id());
                    awaitFailures(letter.id(), 4);
                    ended(letter.id(), State.DEAD);
                    assertThat(store.count(StoredCalls.Filter.ALL)).isEqualTo(1);

                    Later.down.set(false);
                    try {
                        await().until(() -> context.getBean(StoredCalls.class).resend(letter.id()));
                        ended(letter.id(), State.RESOLVED);
                    } finally {
                        Later.down.set(true);
                    }
                }));
    }

    @Test
    void aCallThatIsDueLaterIsHeldUntilThen() {
        runner.run(on(context -> {
            String id = die(context, "a");
            mails.down = false;

            assertThat(context.getBean(StoredCalls.class).resend(id, Duration.ofMillis(300)))
                    .isTrue();

            assertThat(store.died(id).orElseThrow().state()).isEqualTo(State.WAITING);
            assertThat(store.died(id).orElseThrow().actions().get(0).detail()).isEqualTo("in 300ms");
            ended(id, State.RESOLVED);
        }));
    }

    @Test
    void theTimeLimitOfACallThatIsDueLaterCountsFromThen() {
        Limited limited = new Limited();
        runner.withBean(Limited.class, () -> limited).run(on(context -> {
            assertThatException().isThrownBy(context.getBean(Limited.class)::send);
            String id =
                    store.list(StoredCalls.Filter.ALL, null, 1).calls().get(0).id();

            context.getBean(StoredCalls.class).resend(id, Duration.ofMillis(2100));

            awaitFailures(id, 4);
            assertThat(store.died(id).orElseThrow().reason()).isEqualTo(StopReason.EXHAUSTED);
            assertThat(limited.attempts).hasValue(4);
        }));
    }

    @Test
    void aMethodThatWasRenamedIsFoundByItsAlias() {
        runner.withPropertyValues("retryon.dead-letter.aliases[com.acme.Former#send(java.lang.String)]=" + SEND)
                .run(on(context -> {
                    store.put(letter("old", "com.acme.Former#send(java.lang.String)", "[\"a\"]"));
                    mails.down = false;

                    assertThat(context.getBean(StoredCalls.class).resend("old")).isTrue();

                    ended("old", State.RESOLVED);
                }));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "com.acme.Gone#send(java.lang.String) [\"a\"]",
                "java.lang.Runtime#exec(java.lang.String) [\"touch\"]",
                "# [\"a\"]",
                "SEND []",
                "SEND [\"a\",\"b\"]",
                "SEND [\"a",
                "SEND [{\"@class\":\"javax.swing.JEditorPane\",\"page\":\"http://localhost\"}]",
                "SEND null",
                "SEND \"a\""
            })
    void whatCanNotBeMadeStaysDeadAndKeepsItsArguments(String row) {
        String method = row.substring(0, row.indexOf(' ')).replace("SEND", SEND);
        String arguments = row.substring(row.indexOf(' ') + 1);
        runner.run(on(context -> {
            store.put(letter("odd", method, arguments));

            assertThat(context.getBean(StoredCalls.class).by("carol").resend("odd"))
                    .isFalse();

            DeadLetter letter = store.died("odd").orElseThrow();
            assertThat(letter.state()).isEqualTo(State.DEAD);
            assertThat(letter.reason()).isEqualTo(StopReason.UNRESOLVABLE);
            assertThat(letter.arguments()).isEqualTo(arguments);
            assertThat(letter.method()).isEqualTo(method);
            assertThat(letter.failures()).hasSize(1);
            assertThat(letter.actions())
                    .extracting(action -> action.what() + " by " + action.by())
                    .containsExactly("RESENT by carol", "DIED by null");
            assertThat(mails.attempts).isEmpty();
        }));
    }

    @Test
    void whatCouldNotBeMadeIsMadeAfterTheNextDeployment() {
        node().run(on(context -> {
            store.put(letter("odd", SEND, "[\"a\",\"b\"]"));
            context.getBean(StoredCalls.class).resend("odd");
        }));
        node().withPropertyValues("retryon.dead-letter.aliases[" + SEND + "]=unused")
                .withPropertyValues("retryon.dead-letter.aliases[com.acme.Former#x()]=y")
                .run(on(context -> {
                    DeadLetter odd = store.died("odd").orElseThrow();
                    store.put(odd.withArguments("[\"a\"]"));
                    mails.down = false;

                    assertThat(context.getBean(StoredCalls.class).resend("odd")).isTrue();

                    assertThat(ended("odd", State.RESOLVED).failures()).isNotEmpty();
                }));
    }

    @Test
    void aCallOfALambdaCanNotBeResent() {
        runner.withPropertyValues(
                        "retryon.policies.imports.durable.mode=on-exhaustion",
                        "retryon.policies.imports.exceptions=java.io.IOException")
                .run(on(context -> {
                    String id = idOf(() -> context.getBean(RetryRegistry.class)
                            .retry("imports")
                            .call(() -> {
                                throw new IOException("down");
                            }));

                    assertThat(context.getBean(StoredCalls.class).resend(id)).isFalse();

                    assertThat(store.died(id).orElseThrow().reason()).isEqualTo(StopReason.UNRESOLVABLE);
                }));
    }

    @Test
    void recoveryMethodsAreNotCalled() {
        Recovered recovered = new Recovered();
        runner.withBean(Recovered.class, () -> recovered).run(on(context -> {
            context.getBean(Recovered.class).fetch();
            assertThat(recovered.recoveries).hasValue(1);
            String id =
                    store.list(StoredCalls.Filter.ALL, null, 1).calls().get(0).id();

            context.getBean(StoredCalls.class).resend(id);

            awaitFailures(id, 2);
            assertThat(ended(id, State.DEAD).errorMessage()).isEqualTo("down");
            assertThat(recovered.recoveries).hasValue(1);
        }));
    }

    @Test
    void anAttemptHasTheTimeLimitOfWorkers() {
        runner.withPropertyValues("retryon.durable.attempt-timeout=100ms").run(on(context -> {
            String id = die(context, "a");
            mails.down = false;
            mails.barrier = new CountDownLatch(1);

            context.getBean(StoredCalls.class).resend(id);

            awaitFailures(id, 4);
            assertThat(ended(id, State.DEAD).errorType()).isEqualTo(AttemptTimeoutException.class.getName());
        }));
    }

    @Test
    void aProcessThatKeepsDeadLettersRunsTheCallsThatAnotherOneResends() {
        ApplicationContextRunner shared = DurableTrial.inMemory()
                .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        ApplicationContextRunner web = mailing(shared).withPropertyValues("retryon.durable.threads=0");
        Mails others = new Mails();
        others.down = false;
        web.run(on(context -> {
            String id = die(context, "a");
            StoredCalls letters = context.getBean(StoredCalls.class);
            for (ThrowingCallable resend : List.<ThrowingCallable>of(
                    () -> letters.resend(id), () -> letters.resendAll(StoredCalls.Filter.ALL, Bulk.confirmed(10)))) {
                assertThatIllegalStateException()
                        .isThrownBy(resend)
                        .withMessage("dead letters cannot be resent, because no running process of this application has"
                                + " threads for stored calls; set retryon.durable.threads to 1 or more in at least one"
                                + " of them");
            }
            assertThat(store.died(id).orElseThrow().actions()).isEmpty();

            shared.withBean("mails", Mails.class, () -> others).run(worker -> {
                await().until(() -> new NodeTable(DurableTrial.store(context))
                        .announced("")
                        .findAny()
                        .isPresent());
                assertThat(letters.resend(id)).isTrue();

                ended(id, State.RESOLVED);
                assertThat(others.attempts).containsExactly(id + " 1");
                assertThat(mails.attempts).hasSize(2);
            });
        }));
    }

    @Test
    void aProcessWithoutTheMethodResendsACallThatAnotherOneRuns() {
        ApplicationContextRunner shared = DurableTrial.inMemory()
                .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        mails.down = false;
        shared.run(on(context -> {
            store.put(letter("x", SEND, "[\"a\"]"));
            StoredCalls letters = context.getBean(StoredCalls.class);
            assertThat(letters.resend("x")).isFalse();
            assertThat(store.died("x").orElseThrow().errorMessage())
                    .startsWith("no bean of a running process has a retried method " + SEND);

            mailing(shared).run(worker -> {
                await().until(() ->
                        new NodeTable(DurableTrial.store(context)).announced("").anyMatch(SEND::equals));
                assertThat(letters.resend("x")).isTrue();

                ended("x", State.RESOLVED);
                assertThat(mails.attempts).containsExactly("x 1");
            });
        }));
    }

    @Test
    void aDelayedResendSurvivesItsProcess() {
        node().run(on(context -> {
            store.put(letter("later", SEND, "[\"a\"]"));
            context.getBean(StoredCalls.class).resend("later", Duration.ofHours(240));
        }));
        mails.down = false;
        node().run(on(context -> {
            assertThat(store.died("later").orElseThrow().state()).isEqualTo(State.WAITING);
            assertThat(context.getBean(StoredCalls.class).runNow("later")).isTrue();

            ended("later", State.RESOLVED);
            assertThat(mails.attempts).containsExactly("later 1");
        }));
    }

    /** Otherwise it would wait as long as the pause lasts. */
    @Test
    void aResentCallDoesNotWaitForThePausedMethodsOfItsLane() {
        runner.withBean(Stored.class).run(on(context -> {
            RuntimeChange.Target add = new RuntimeChange.Target(RuntimeChange.Scope.NAME, "Stored.add", false);
            context.getBean(RuntimeSettings.class).change(add, Map.of("paused", "true"), null, "operator");
            String id = die(context, "a");
            mails.down = false;
            context.getBean(Stored.class).add();

            context.getBean(StoredCalls.class).resend(id);

            ended(id, State.RESOLVED);
            assertThat(DurableTrial.stored(context)).isOne();
        }));
    }

    private static DefaultPointcutAdvisor outermost(MethodInterceptor advice) {
        NameMatchMethodPointcut send = new NameMatchMethodPointcut();
        send.addMethodName("send");
        send.setClassFilter(Mails.class::isAssignableFrom);
        DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(send, advice);
        advisor.setOrder(0);
        return advisor;
    }

    private static void start(Later later, String style) throws IOException {
        switch (style) {
            case "future" -> later.future("a");
            case "plainFuture" -> later.plainFuture("a");
            case "mono" -> later.mono("a").subscribe(value -> {}, error -> {});
            case "flux" -> later.flux("a").subscribe(value -> {}, error -> {});
            case "async" -> later.async("a");
            default -> later.asyncFuture("a");
        }
    }

    private String die(ApplicationContext context, String to) {
        return idOf(() -> context.getBean(Mails.class).send(to));
    }

    private interface Call {

        void make() throws Exception;
    }

    private String idOf(Call call) {
        try {
            call.make();
        } catch (Exception ex) {
            return store.list(StoredCalls.Filter.ALL, null, 1).calls().get(0).id();
        }
        throw new AssertionError("it did not fail");
    }

    private DeadLetter ended(String id, State status) {
        await().until(() -> store.died(id).orElseThrow().state() == status);
        return store.died(id).orElseThrow();
    }

    private void awaitFailures(String id, int count) {
        await().until(() -> store.died(id).orElseThrow().failures().size() == count);
    }

    static DeadLetter letter(String id, String method, String arguments) {
        return Letters.letter(id, method, arguments, VirtualTime.START);
    }

    static class Mails {

        volatile boolean down = true;

        volatile boolean discarding;

        volatile CountDownLatch barrier = new CountDownLatch(0);

        final List<String> attempts = Collections.synchronizedList(new ArrayList<>());

        @RetryOn(value = IOException.class, maxAttempts = 2)
        @Durable(ON_EXHAUSTION)
        public void send(String to) throws IOException {
            RetryContext call = RetryContext.current();
            attempts.add(call.callId() + " " + call.attempt());
            try {
                barrier.await();
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
            if (discarding) {
                throw new RetrySignal(RetryDirective.DISCARD, "not needed", null);
            }
            if (down) {
                throw new IOException("down");
            }
        }
    }

    static class Baskets {

        @RetryOn(value = IOException.class, maxAttempts = 2)
        @Durable(ON_EXHAUSTION)
        public void fill(List<String> basket) throws IOException {
            basket.add("x");
            throw new IOException("down");
        }
    }

    static class Limited {

        final AtomicInteger attempts = new AtomicInteger();

        @RetryOn(value = IOException.class, maxAttempts = 2, timeout = "2s")
        @Durable(ON_EXHAUSTION)
        public void send() throws IOException {
            attempts.incrementAndGet();
            throw new IOException("down");
        }
    }

    static class Recovered {

        final AtomicInteger recoveries = new AtomicInteger();

        @RetryOn(value = IOException.class, maxAttempts = 1, recover = "instead")
        @Durable(ON_EXHAUSTION)
        public String fetch() throws IOException {
            throw new IOException("down");
        }

        String instead() {
            recoveries.incrementAndGet();
            return "instead";
        }
    }

    static class Stored {

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void add() {}
    }

    static class Later {

        static final AtomicBoolean down = new AtomicBoolean(true);

        @RetryOn(value = IOException.class, maxAttempts = 2)
        @Durable(ON_EXHAUSTION)
        public CompletableFuture<String> future(String text) {
            return CompletableFuture.supplyAsync(() -> text)
                    .thenCompose(value -> down.get()
                            ? CompletableFuture.failedFuture(new IOException("down"))
                            : CompletableFuture.completedFuture(value));
        }

        @RetryOn(value = IOException.class, maxAttempts = 2)
        @Durable(ON_EXHAUSTION)
        public Future<String> plainFuture(String text) {
            return future(text);
        }

        @RetryOn(value = IOException.class, maxAttempts = 2)
        @Durable(ON_EXHAUSTION)
        public Mono<String> mono(String text) {
            return Mono.defer(() -> down.get() ? Mono.error(new IOException("down")) : Mono.just(text));
        }

        @RetryOn(value = IOException.class, maxAttempts = 2)
        @Durable(ON_EXHAUSTION)
        public Flux<String> flux(String text) {
            return Flux.defer(() -> down.get() ? Flux.error(new IOException("down")) : Flux.just(text, text));
        }

        @Async
        @RetryOn(value = IOException.class, maxAttempts = 2)
        @Durable(ON_EXHAUSTION)
        public void async(String text) throws IOException {
            if (down.get()) {
                throw new IOException("down");
            }
        }

        @Async
        @RetryOn(value = IOException.class, maxAttempts = 2)
        @Durable(ON_EXHAUSTION)
        public CompletableFuture<String> asyncFuture(String text) {
            return future(text);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class AsyncConfiguration {}

    static class Heard {

        final List<StoredCallEvent> events = Collections.synchronizedList(new ArrayList<>());

        final List<RetryEvent> kept = Collections.synchronizedList(new ArrayList<>());

        volatile Consumer<Object> then = event -> {};

        @EventListener
        void on(StoredCallEvent event) {
            events.add(event);
            then.accept(event);
        }

        @EventListener
        void on(DeadLettered event) {
            kept.add(event);
            then.accept(event);
        }

        List<What> of(String id) {
            return List.copyOf(events).stream()
                    .filter(event -> event.id().equals(id))
                    .map(event -> event.action().what())
                    .toList();
        }
    }
}
