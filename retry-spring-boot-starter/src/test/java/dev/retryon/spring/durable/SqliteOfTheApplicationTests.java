/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import static dev.retryon.spring.durable.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.retryon.spring.Durable;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An SQLite file of the application, whose URL says how the driver writes times. */
class SqliteOfTheApplicationTests {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"", "?date_class=TEXT", "?date_class=REAL", "?date_precision=SECONDS"})
    void timesAreMillisecondsHoweverTheDriverWritesThem(String parameters) {
        DurableTrial.inMemory()
                .withPropertyValues(
                        "spring.datasource.url=jdbc:sqlite:" + folder.resolve("shop.db") + parameters,
                        "spring.datasource.hikari.maximum-pool-size=1",
                        "retryon.jdbc.initialize-schema=always")
                .withBean(Mails.class)
                .run(context -> {
                    Mails mails = context.getBean(Mails.class);
                    mails.send();

                    WaitingCalls calls = context.getBean(WaitingCalls.class);
                    CallLedger.Filter all = new CallLedger.Filter(null, null, null, null, null);
                    CallLedger.Entry waiting =
                            calls.ledger().list(all, null, 10).calls().get(0);
                    assertThat(waiting.due())
                            .isCloseTo(Instant.now().plus(Duration.ofHours(1)), within(10, ChronoUnit.MINUTES));

                    mails.recover();
                    calls.retry(waiting.id());

                    await().until(() -> DurableTrial.stored(context) == 0);
                    assertThat(mails.attempts()).isEqualTo(2);
                });
    }

    static class Mails {

        private final AtomicInteger attempts = new AtomicInteger();

        private volatile boolean isDown = true;

        int attempts() {
            return attempts.get();
        }

        void recover() {
            isDown = false;
        }

        @RetryOn(value = IOException.class, delay = "1h", maxDelay = "1h", durable = Durable.ON_FAILURE)
        public void send() throws IOException {
            attempts.incrementAndGet();
            if (isDown) {
                throw new IOException("down");
            }
        }
    }
}
