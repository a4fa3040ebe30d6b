// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.retryon.RetryFailed;
import dev.retryon.RetryListener;
import dev.retryon.StopReason;
import dev.retryon.durable.Durable;
import dev.retryon.durable.WhenFailed;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.module.ExtensionErrors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import javax.sql.DataSource;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** {@code max-waiting}: beyond a limit, calls are not stored. */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class WaitingLimitTests {

    private static final String MAX = "retryon.durable.max-waiting=";

    private static final String MAIL_MAX = "retryon.durable.lanes.mail.max-waiting=";

    @TempDir
    private Path folder;

    private final List<StopReason> reasons = new CopyOnWriteArrayList<>();

    private ApplicationContextRunner application(String... properties) {
        return with(DurableTrial.embedded(folder), properties);
    }

    private ApplicationContextRunner with(ApplicationContextRunner database, String... properties) {
        return database.withPropertyValues("retryon.durable.lanes.mail.threads=1", "retryon.defaults.delay=1h")
                .withPropertyValues(properties)
                .withBean(Jobs.class)
                .withBean(RetryListener.class, () -> event -> {
                    if (event instanceof RetryFailed failed) {
                        reasons.add(failed.reason());
                    }
                });
    }

    @Test
    void aRetryBeyondTheLimitFailsAsWithoutTheStore(CapturedOutput output) {
        application(MAX + 2).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            jobs.send();
            jobs.send();

            for (int i = 0; i < 3; i++) {
                assertThatExceptionOfType(IOException.class)
                        .isThrownBy(jobs::send)
                        .withMessage("down")
                        .satisfies(error -> assertThat(error.getSuppressed())
                                .filteredOn(RejectedExecutionException.class::isInstance)
                                .singleElement()
                                .asString()
                                .contains("the call is not stored, because the number of waiting calls has reached"
                                        + " retryon.durable.max-waiting (2)"));
            }
            assertThat(reasons).containsExactly(StopReason.REJECTED, StopReason.REJECTED, StopReason.REJECTED);
            assertThat(DurableTrial.stored(context)).isEqualTo(2);
            assertThat(DurableTrial.deadLetters(context)).isEmpty();
            assertThat(output.getAll().lines().filter(line -> line.contains("a retry could not be stored")))
                    .hasSize(1);
        });
    }

    @Test
    void aRetryBeyondTheLimitBecomesADeadLetterIfItsMethodKeepsThem() {
        application(MAX + 1).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            jobs.send();

            assertThatExceptionOfType(IOException.class).isThrownBy(jobs::kept);

            assertThat(DurableTrial.deadLetters(context))
                    .singleElement()
                    .satisfies(letter -> assertThat(letter.reason()).isEqualTo(StopReason.REJECTED));
        });
    }

    @Test
    void aLimitOfALaneIsForItsCallsOnly() {
        application(MAIL_MAX + 1, MAX + 4).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            jobs.mail();

            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(jobs::mail)
                    .satisfies(error -> assertThat(error.getSuppressed()[0].toString())
                            .contains("retryon.durable.lanes.mail.max-waiting (1)"));
            jobs.send();
            jobs.send();
            jobs.send();
            assertThatExceptionOfType(IOException.class).isThrownBy(jobs::send);
            assertThat(DurableTrial.stored(context)).isEqualTo(4);
        });
    }

    @Test
    void anOutboxCallBeyondTheLimitFailsInTheTransactionOfItsCaller() {
        with(LanesOnH2Tests.h2(), MAX + 1).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
            jdbc.execute("create table orders (id integer)");
            jobs.send();
            TransactionTemplate transaction =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));

            assertThatExceptionOfType(RejectedExecutionException.class)
                    .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                        jdbc.update("insert into orders values (1)");
                        jobs.outbox();
                    }))
                    .withMessageContaining("retryon.durable.max-waiting (1); fix the downstream system");

            assertThat(jdbc.queryForObject("select count(*) from orders", Integer.class))
                    .isZero();
            assertThat(DurableTrial.stored(context)).isEqualTo(1);
        });
    }

    @Test
    void callsOfOtherProcessesCountAndCallsAreStoredAgainWhenFewerWait() {
        ApplicationContextRunner database = LanesOnH2Tests.h2();
        with(database, MAX + 100).run(other -> {
            for (int i = 0; i < 3; i++) {
                other.getBean(Jobs.class).send();
            }
            with(database, MAX + 3).run(context -> {
                Jobs jobs = context.getBean(Jobs.class);
                // Known with the first count, which no call waits for.
                await().until(() -> catchThrowable(jobs::send) != null);
                assertThat(DurableTrial.stored(context)).isGreaterThanOrEqualTo(3);

                DurableTrial.store(context)
                        .jdbc()
                        .sql("delete from retryon_call")
                        .update();
                await().until(() -> catchThrowable(jobs::send) == null);
            });
        });
    }

    @Test
    void manyCallersExceedALimitByNoMoreThanTheirNumber() throws Exception {
        int callers = 20;
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        application(MAX + 50).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            List<Future<?>> calls = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                calls.add(threads.submit(() -> catchThrowable(jobs::send)));
            }
            for (Future<?> call : calls) {
                call.get();
            }
            assertThat(DurableTrial.stored(context)).isBetween(50L, 50L + callers);
        });
        threads.shutdownNow();
    }

    /** A count might read the database before the call that begins it is committed. Repeated, because its thread has to be late. */
    @RepeatedTest(50)
    void theCallThatBeginsACountIsAddedToIt() {
        BlockingQueue<Long> counts = new LinkedBlockingQueue<>();
        WaitingLimits limits = new WaitingLimits(
                new Lanes(1, 1L, null, Map.of()),
                () -> Map.of(Lanes.DEFAULT, new CallEngine.Backlog(next(counts), null)),
                new ExtensionErrors());
        limits.add(Lanes.DEFAULT);
        counts.add(0L);
        counts.add(1L);

        assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> limits.add(Lanes.DEFAULT));
    }

    private static long next(BlockingQueue<Long> counts) {
        try {
            return counts.take();
        } catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }

    @RetryOn(exceptions = IOException.class, maxDelay = "1d")
    @Durable(ON_FAILURE)
    static class Jobs {

        public void send() throws IOException {
            throw new IOException("down");
        }

        @Durable(whenFailed = WhenFailed.KEEP_ALL)
        public void kept() throws IOException {
            throw new IOException("down");
        }

        @Durable(lane = "mail")
        public void mail() throws IOException {
            throw new IOException("down");
        }

        @Durable(OUTBOX)
        public void outbox() {
            throw new IllegalStateException("a call that is not stored never runs");
        }
    }
}
