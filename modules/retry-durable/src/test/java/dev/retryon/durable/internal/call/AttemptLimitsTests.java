// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.AttemptTimeoutException;
import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.autoconfigure.RetryDurableTelemetryAutoConfiguration;
import dev.retryon.durable.internal.actuate.CallDescription;
import dev.retryon.durable.internal.actuate.StoredCallsEndpoint;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryMetricsAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** {@code retryon.durable.attempt-timeout}: a hung attempt does not keep its worker. */
class AttemptLimitsTests {

    private static final String LIMIT = "retryon.durable.attempt-timeout=";

    @TempDir
    private Path folder;

    private final Partner partner = new Partner();

    private ApplicationContextRunner application(String limit) {
        return DurableTrial.embedded(folder)
                .withPropertyValues(LIMIT + limit)
                .withBean(Jobs.class, () -> new Jobs(partner));
    }

    @Test
    void aHungAttemptEndsAndItsWorkerContinues() {
        application("100ms").withPropertyValues("retryon.durable.threads=1").run(context -> {
            context.getBean(Jobs.class).limited();
            context.getBean(Jobs.class).quick();

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(partner.interrupted).hasValue(2);
            assertThat(partner.quick).hasValue(1);
            DeadLetter letter = DurableTrial.deadLetters(context).get(0);
            assertThat(letter.errorType()).isEqualTo(AttemptTimeoutException.class.getName());
            assertThat(letter.attempts()).isEqualTo(2);
        });
    }

    @Test
    void aLimitOfTheMethodOrTheCallWins() {
        application("1h").run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            jobs.limitedByItself();
            Retries.with(settings -> settings.attemptTimeout(Duration.ofMillis(100)))
                    .run(jobs::limited);

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(partner.interrupted).hasValue(4);
        });
    }

    @Test
    void aMethodWithALimitOfZeroHasNone() {
        application("100ms").run(context -> {
            context.getBean(Jobs.class).unlimited();
            await().until(() -> partner.waiting.get() == 1);
            context.getBean(Jobs.class).limited();
            // Later than the call before it would have ended.
            await().until(() -> partner.interrupted.get() == 2);

            partner.answer.countDown();
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(partner.answered).hasValue(1);
        });
    }

    @Test
    void withAPropertyOfZeroNoAttemptIsLimited() {
        application("0").run(context -> {
            context.getBean(Jobs.class).limited();
            await().until(() -> partner.waiting.get() == 1);
            context.getBean(Jobs.class).limitedByItself();
            await().until(() -> partner.interrupted.get() == 2);

            partner.answer.countDown();
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(partner.answered).hasValue(1);
        });
    }

    @Test
    void aFirstAttemptOnTheThreadOfItsCallerIsNotLimited() {
        application("100ms").run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            jobs.limited();

            // Waits until an attempt that began before it, or later, was stopped.
            jobs.onTheCallersThread();

            assertThat(partner.failedByCaller).hasValue(1);
            await().until(() -> DurableTrial.stored(context) == 0);
        });
    }

    @Test
    void anAttemptThatIgnoresInterruptsRunsToItsEndAndIsSeenMeanwhile() {
        application("50ms")
                .withConfiguration(AutoConfigurations.of(
                        RetryMetricsAutoConfiguration.class, RetryDurableTelemetryAutoConfiguration.class))
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> {
                    Instant before = Instant.now();
                    context.getBean(Jobs.class).deaf();
                    await().until(() -> partner.ignored.get() == 1);

                    assertThat(longest(context)).isGreaterThan(0.05);
                    String id = DurableTrial.store(context)
                            .jdbc()
                            .sql("select task_instance from retryon_call")
                            .query(String.class)
                            .single();
                    CallDescription call = new StoredCallsEndpoint(
                                    () -> context.getBean(StoredCalls.class),
                                    () -> context.getBean(DurableCalls.class),
                                    Show.NEVER)
                            .call(id);
                    assertThat(call).isNotNull();
                    assertThat(call.state()).isEqualTo("running");
                    assertThat(call.runningSince()).isBetween(before, Instant.now());
                    assertThat(call.attemptTimeout()).isEqualTo("50ms");

                    partner.answer.countDown();
                    await().until(() -> DurableTrial.stored(context) == 0);
                    await().until(() -> longest(context) == 0);
                    assertThat(DurableTrial.deadLetters(context).get(0).errorType())
                            .isEqualTo(AttemptTimeoutException.class.getName());
                });
    }

    @Test
    void aNegativeLimitIsAFault() {
        application("-1s")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("retryon.durable.attempt-timeout")
                        .hasMessageContaining("is '-1s', but must not be negative"));
    }

    private static double longest(ApplicationContext context) {
        return context.getBean(MeterRegistry.class)
                .get("retryon.durable.longest.attempt")
                .timeGauge()
                .value();
    }

    /** A partner that hangs until it answers. */
    static class Partner {

        final CountDownLatch answer = new CountDownLatch(1);

        final CountDownLatch stopped = new CountDownLatch(1);

        final AtomicInteger waiting = new AtomicInteger();

        final AtomicInteger interrupted = new AtomicInteger();

        final AtomicInteger ignored = new AtomicInteger();

        final AtomicInteger answered = new AtomicInteger();

        final AtomicInteger quick = new AtomicInteger();

        final AtomicInteger failedByCaller = new AtomicInteger();

        void hang() throws IOException {
            waiting.incrementAndGet();
            try {
                answer.await();
                answered.incrementAndGet();
            } catch (InterruptedException ex) {
                interrupted.incrementAndGet();
                stopped.countDown();
                throw new IOException("interrupted", ex);
            }
        }

        void hangDeaf() {
            while (answer.getCount() > 0) {
                try {
                    answer.await();
                } catch (InterruptedException ex) {
                    ignored.incrementAndGet();
                }
            }
        }
    }

    @RetryOn(exceptions = IOException.class, maxAttempts = 2)
    @Durable(OUTBOX)
    static class Jobs {

        private final Partner partner;

        Jobs(Partner partner) {
            this.partner = partner;
        }

        public void limited() throws IOException {
            partner.hang();
        }

        @RetryOn(attemptTimeout = "100ms")
        public void limitedByItself() throws IOException {
            partner.hang();
        }

        @RetryOn(attemptTimeout = "0s")
        public void unlimited() throws IOException {
            partner.hang();
        }

        @RetryOn(maxAttempts = 1)
        public void deaf() {
            partner.hangDeaf();
        }

        public void quick() {
            partner.quick.incrementAndGet();
        }

        @Durable(ON_FAILURE)
        public void onTheCallersThread() throws IOException, InterruptedException {
            if (partner.failedByCaller.get() == 0) {
                partner.stopped.await();
                partner.failedByCaller.incrementAndGet();
                throw new IOException("down");
            }
        }
    }
}
