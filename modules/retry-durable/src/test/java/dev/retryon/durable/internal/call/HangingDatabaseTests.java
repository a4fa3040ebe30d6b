// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.retryon.RetryContext;
import dev.retryon.durable.Durable;
import dev.retryon.durable.internal.store.TestPostgres;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.net.URI;
import java.sql.Connection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A database that stops to answer while calls are stored: callers wait for a limited time. */
@Tag("database")
class HangingDatabaseTests {

    /** Far longer than the time limit of each step, which is 1 s and a moment. */
    private static final int PATIENCE_SECONDS = 25;

    enum Kind {
        ON_FAILURE,
        OUTBOX,
        DEAD_LETTER;

        private void call(Mails mails) {
            switch (this) {
                case ON_FAILURE -> mails.sendLater();
                case OUTBOX -> mails.send();
                case DEAD_LETTER -> mails.die();
            }
        }
    }

    private static ApplicationContextRunner application(String url) {
        return DurableTrial.inMemory()
                .withPropertyValues(
                        "spring.datasource.url=" + url,
                        "spring.datasource.hikari.connection-timeout=2000",
                        "spring.datasource.hikari.validation-timeout=1000",
                        "spring.lifecycle.timeout-per-shutdown-phase=1s",
                        "retryon.dead-letter.timeout=1s",
                        "retryon.jdbc.initialize-schema=always")
                .withBean(Mails.class);
    }

    @Test
    void aCallerGetsAnError() throws Exception {
        hang(Kind.DEAD_LETTER, false);
    }

    @ParameterizedTest
    @Tag("endurance")
    @EnumSource(Kind.class)
    void aCallerWithoutATransactionGetsAnError(Kind kind) throws Exception {
        hang(kind, false);
    }

    @ParameterizedTest
    @Tag("endurance")
    @EnumSource(Kind.class)
    void aCallerInATransactionGetsAnError(Kind kind) throws Exception {
        hang(kind, true);
    }

    private static void hang(Kind kind, boolean inTransaction) throws Exception {
        String direct = TestPostgres.database();
        int port = URI.create(direct.substring("jdbc:".length())).getPort();
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (BlackHole link = new BlackHole(port)) {
            application(direct.replace(":" + port + "/", ":" + link.port() + "/"))
                    .run(context -> {
                        Mails mails = context.getBean(Mails.class);
                        TransactionTemplate transaction =
                                new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
                        JdbcTemplate jdbc =
                                new JdbcTemplate(DurableTrial.store(context).dataSource());
                        // Leaves an open connection in each pool: one that must be opened is limited by the pool.
                        var before = catchThrowable(() -> kind.call(mails));
                        assertThat(before == null).isEqualTo(kind != Kind.DEAD_LETTER);
                        CountDownLatch begun = new CountDownLatch(1);
                        CountDownLatch isFrozen = new CountDownLatch(1);
                        CompletableFuture<Throwable> answer = new CompletableFuture<>();
                        thread.execute(() -> {
                            Runnable call = () -> {
                                if (inTransaction) {
                                    jdbc.queryForObject("select 1", Integer.class);
                                }
                                begun.countDown();
                                awaitLatch(isFrozen);
                                answer.complete(catchThrowable(() -> kind.call(mails)));
                            };
                            if (inTransaction) {
                                var unused =
                                        catchThrowable(() -> transaction.executeWithoutResult(status -> call.run()));
                            } else {
                                call.run();
                            }
                        });
                        begun.await();
                        link.freeze();
                        isFrozen.countDown();

                        // The end of the caller's own transaction might hang all the same.
                        assertThat(answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS))
                                .isNotNull();
                        link.close();
                    });
        } finally {
            thread.shutdownNow();
        }
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException ex) {
            throw new AssertionError(ex);
        }
    }

    @Test
    void aLockedTableHoldsACallerUpForALimitedTimeAndTheCallIsNotMade() {
        String url = TestPostgres.database();
        application(url).run(context -> {
            Mails mails = context.getBean(Mails.class);
            // Not by a transaction of Spring, because the call would be refused as one of another database.
            try (Connection other = new DriverManagerDataSource(url).getConnection()) {
                other.setAutoCommit(false);
                other.createStatement().execute("lock table retryon_call in access exclusive mode");

                assertThat(catchThrowable(mails::send)).isInstanceOf(DataAccessException.class);
            }

            assertThat(DurableTrial.stored(context)).isZero();
        });
    }

    static class Mails {

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void send() {}

        @RetryOn(IllegalStateException.class)
        @Durable(ON_FAILURE)
        public void sendLater() {
            if (RetryContext.current().attempt() == 1) {
                throw new IllegalStateException("down");
            }
        }

        @RetryOn(value = IOException.class, maxAttempts = 1)
        @Durable(ON_EXHAUSTION)
        public void die() {
            throw new IllegalStateException("down");
        }
    }
}
