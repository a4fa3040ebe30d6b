// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.RetryContext;
import dev.retryon.RetryHint;
import dev.retryon.RetrySignal;
import dev.retryon.StopReason;
import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCall.Failure;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** Calls that are stored when their first attempt has failed. */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
class OnFailureTests {

    @TempDir
    private Path folder;

    /** Applications with a database that outlives them. */
    ApplicationContextRunner database() {
        return DurableTrial.embedded(folder);
    }

    private ApplicationContextRunner application() {
        return database().withBean(Invoices.class);
    }

    private static Invoices invoices(ApplicationContext context) {
        return context.getBean(Invoices.class);
    }

    @Test
    void goOnWithAWorkerUntilTheySucceed() {
        application().run(context -> {
            invoices(context).send(new Invoice("17", 3));

            await().until(() -> invoices(context).seen().size() == 3);
            List<Seen> seen = invoices(context).seen();
            assertThat(seen).extracting(Seen::invoice).containsOnly(new Invoice("17", 3));
            assertThat(seen).extracting(Seen::attempt).containsExactly(1, 2, 3);
            assertThat(seen).extracting(Seen::callId).containsOnly(seen.get(0).callId());
            assertThat(seen).extracting(Seen::durable).containsOnly(true);
            assertThat(seen.get(0).thread()).isEqualTo(Thread.currentThread().getName());
            assertThat(seen.get(1).thread()).startsWith("retryon-worker-");
            await().until(() -> DurableTrial.stored(context) == 0);
        });
    }

    @Test
    void ofAnAsyncMethodGoOnOnTheThreadOfTheWorker() {
        database()
                .withUserConfiguration(InBackground.class)
                .withBean(AsyncInvoices.class)
                .run(context -> {
                    context.getBean(AsyncInvoices.class).sendLater(new Invoice("17", 3));

                    Invoices invoices = context.getBean(AsyncInvoices.class).target();
                    await().until(() -> invoices.seen().size() == 3);
                    await().until(() -> DurableTrial.stored(context) == 0);
                    assertThat(invoices.seen()).extracting(Seen::attempt).containsExactly(1, 2, 3);
                    assertThat(invoices.seen().get(0).thread()).startsWith("background-");
                    assertThat(invoices.seen().subList(1, 3))
                            .allSatisfy(seen -> assertThat(seen.thread()).startsWith("retryon-worker-"));
                });
    }

    @Test
    void areNotStoredIfTheySucceedAtOnce() {
        application().run(context -> {
            invoices(context).send(new Invoice("17", 1));

            assertThat(invoices(context).seen()).hasSize(1);
            assertThat(DurableTrial.stored(context)).isZero();
        });
    }

    @Test
    void areKeptAsDeadLettersWhenTheyFailForGood() {
        application().run(context -> {
            invoices(context).send(new Invoice("17", 9));

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(invoices(context).seen()).hasSize(4);
            DeadLetter letter = DurableTrial.deadLetters(context).get(0);
            assertThat(letter.id()).isEqualTo(invoices(context).seen().get(0).callId());
            assertThat(letter.reason()).isEqualTo(StopReason.EXHAUSTED);
            assertThat(letter.attempts()).isEqualTo(4);
            assertThat(letter.arguments()).isEqualTo("{\"invoice\":{\"id\":\"17\",\"up\":9}}");
            assertThat(letter.bean()).isEqualTo(context.getBeanNamesForType(Invoices.class)[0]);
            assertThat(letter.failures()).extracting(Failure::attempt).containsExactly(1, 2, 3, 4);
        });
    }

    @Test
    void areDeletedWhenTheyFailForGoodIfTheyMayBeLost() {
        application()
                .withPropertyValues("retryon.defaults.durable.when-failed=delete")
                .run(context -> {
                    invoices(context).send(new Invoice("17", 9));

                    await().until(() -> DurableTrial.stored(context) == 0);
                    assertThat(invoices(context).seen()).hasSize(4);
                    assertThat(DurableTrial.deadLetters(context)).isEmpty();
                });
    }

    @Test
    void areNotDeletedBecauseTheirNextAttemptCanNotBeStored(CapturedOutput output) {
        DurableTrial.embedded(folder)
                .withBean(Invoices.class)
                .withPropertyValues(
                        "retryon.defaults.durable.when-failed=delete", "retryon.durable.heartbeat-interval=100ms")
                .run(context -> {
                    JdbcClient jdbc = DurableTrial.store(context).jdbc();
                    jdbc.sql("create trigger refusing before update of attempt on retryon_call when new.attempt = 2"
                                    + " begin select raise(abort, 'refused'); end")
                            .update();
                    invoices(context).send(new Invoice("17", 9));
                    await().until(() -> output.getOut().contains("so the call might run again"));
                    assertThat(DurableTrial.stored(context)).isEqualTo(1);
                    jdbc.sql("drop trigger refusing").update();

                    await().until(() -> DurableTrial.stored(context) == 0);
                    assertThat(invoices(context).seen())
                            .extracting(Seen::attempt)
                            .containsExactly(1, 2, 3, 4);
                });
    }

    @Test
    void attemptsOfWorkersHaveWhatTheCallOverrides() {
        application().run(context -> {
            Retries.with(o -> o.maxAttempts(6).delay(Duration.ofMillis(1)))
                    .run(() -> invoices(context).send(new Invoice("17", 9)));

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(invoices(context).seen()).hasSize(6);
            assertThat(DurableTrial.deadLetters(context).get(0).attempts()).isEqualTo(6);
        });
    }

    @Test
    void whatIsOverriddenForACallIsNotForThoseThatItMakes() {
        application().run(context -> {
            Retries.with(o -> o.maxAttempts(6))
                    .run(() -> invoices(context).sendByAnother(() -> {
                        try {
                            invoices(context).send(new Invoice("17", 9));
                        } catch (Exception ex) {
                            throw new IllegalStateException(ex);
                        }
                    }));

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(invoices(context).seen()).hasSize(4);
        });
    }

    @Test
    void anOverrideThatNamesTypesOrCodeIsNotStored(CapturedOutput output) {
        application().run(context -> {
            Retries.with(o -> o.maxAttempts(6).exceptions(IOException.class).onlyIf("true"))
                    .run(() -> invoices(context).send(new Invoice("17", 9)));

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(invoices(context).seen()).hasSize(6);
            assertThat(output).containsOnlyOnce("a stored call does not include exceptions, onlyIf from Retries.with");
        });
    }

    @Test
    void anOverrideThatIsNotStoredIsReportedBeforeACallFails(CapturedOutput output) {
        application().run(context -> {
            for (int i = 0; i < 2; i++) {
                Retries.with(o -> o.exceptions(IOException.class))
                        .run(() -> invoices(context).send(new Invoice("17", 1)));
            }

            assertThat(DurableTrial.stored(context)).isZero();
            assertThat(output)
                    .containsOnlyOnce(
                            "send: a stored call does not include exceptions from Retries.with, so workers use the"
                                    + " method's settings");
        });
    }

    @Test
    void aDeadLetterIsResolvedOnlyWhenItsCallHasSucceeded() {
        application().run(context -> {
            invoices(context).send(new Invoice("17", 9));
            await().until(() -> DurableTrial.stored(context) == 0);
            String id = DurableTrial.deadLetters(context).get(0).id();
            invoices(context).up();

            assertThat(context.getBean(StoredCalls.class).resend(id)).isTrue();

            // 6 = 4 that failed + 1 that fails again + 1 that waits for the gate
            await().until(() -> invoices(context).seen().size() == 6);
            assertThat(DurableTrial.deadLetters(context).get(0).state()).isEqualTo(State.WAITING);
            invoices(context).open();
            await().until(() -> DurableTrial.deadLetters(context).get(0).state() == State.RESOLVED);
            assertThat(invoices(context).seen()).hasSize(6);
            assertThat(DurableTrial.stored(context)).isZero();
        });
    }

    @Test
    void whatIsNotRetriedIsThrown() {
        application().run(context -> {
            assertThatThrownBy(() -> invoices(context).refuse()).hasMessage("wrong");

            assertThat(DurableTrial.stored(context)).isZero();
        });
    }

    @Test
    void whatAsksForAWaitWithoutEndIsKeptForAHundredYears() {
        application().run(context -> {
            invoices(context).waitForever();

            assertThat(DurableTrial.stored(context)).isOne();
            assertThat(context.getBean(CallEngine.class)
                            .backlog()
                            .get("default")
                            .nextDue())
                    .isAfter(Instant.now().plus(Duration.ofDays(36_000)));
            assertThatThrownBy(invoices(context)::waitForAnHour)
                    .isInstanceOf(WithoutEnd.class)
                    .satisfies(error -> assertThat(error.getSuppressed())
                            .singleElement()
                            .asString()
                            .contains("TIMEOUT"));
        });
    }

    @Test
    void whatIsDiscardedLaterIsForgotten() {
        application().run(context -> {
            invoices(context).discard();

            await().until(() -> invoices(context).seen().size() == 2);
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(DurableTrial.deadLetters(context)).isEmpty();
        });
    }

    record Invoice(String id, int up) {}

    record Seen(Invoice invoice, int attempt, String callId, boolean durable, String thread) {}

    static class Invoices {

        private final List<Seen> seen = new CopyOnWriteArrayList<>();

        private volatile int upFrom = Integer.MAX_VALUE;

        private final CountDownLatch gate = new CountDownLatch(1);

        /** From the next sending on, second attempts succeed when the gate is open. */
        void up() {
            upFrom = 2;
        }

        void open() {
            gate.countDown();
        }

        List<Seen> seen() {
            return seen;
        }

        private void see(Invoice invoice) {
            RetryContext call = RetryContext.current();
            seen.add(new Seen(
                    invoice,
                    call.attempt(),
                    call.callId(),
                    call.isDurable(),
                    Thread.currentThread().getName()));
        }

        @RetryOn(value = IOException.class, maxAttempts = 4)
        @Durable(ON_FAILURE)
        public void send(Invoice invoice) throws Exception {
            see(invoice);
            if (RetryContext.current().attempt() == upFrom) {
                gate.await();
            }
            if (RetryContext.current().attempt() < Math.min(invoice.up(), upFrom)) {
                throw new IOException("down " + RetryContext.current().attempt());
            }
        }

        @RetryOn(value = IOException.class, delay = "0")
        public void sendByAnother(Runnable another) {
            another.run();
        }

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void waitForever() throws IOException {
            throw new WithoutEnd();
        }

        @RetryOn(value = IOException.class, timeout = "1h")
        @Durable(ON_FAILURE)
        public void waitForAnHour() throws IOException {
            throw new WithoutEnd();
        }

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void refuse() {
            throw new IllegalArgumentException("wrong");
        }

        @RetryOn(RetrySignal.class)
        @Durable(ON_FAILURE)
        public void discard() {
            see(new Invoice("", 0));
            throw RetryContext.current().attempt() == 1 ? RetrySignal.retry("later") : RetrySignal.discard("paid");
        }
    }

    static class AsyncInvoices {

        private final Invoices target = new Invoices();

        Invoices target() {
            return target;
        }

        @Async
        @RetryOn(value = IOException.class, maxAttempts = 4)
        @Durable(ON_FAILURE)
        public void sendLater(Invoice invoice) throws Exception {
            target.send(invoice);
        }
    }

    @EnableAsync
    static class InBackground {

        @Bean
        ThreadPoolTaskExecutor taskExecutor() {
            ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
            executor.setThreadNamePrefix("background-");
            return executor;
        }
    }

    static class WithoutEnd extends IOException implements RetryHint {

        private static final long serialVersionUID = 1L;

        @Override
        public Duration retryAfter() {
            return ChronoUnit.FOREVER.getDuration();
        }
    }
}
