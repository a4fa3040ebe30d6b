/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import static dev.retryon.spring.durable.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.durable.Journal.Event;
import dev.retryon.spring.durable.Journal.Line;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications that are closed while they make durable calls. */
class ClosingTests {

    private static final int CALLS = 500;

    @TempDir
    private Path folder;

    private ApplicationContextRunner application(String process, Runnable gate) {
        return DurableTrial.embedded(folder)
                .withConfiguration(AutoConfigurations.of(LifecycleAutoConfiguration.class))
                .withBean(Orders.class, () -> new Orders(journal(process), gate));
    }

    private Journal journal(String process) {
        return new Journal(folder.resolve("journal"), process);
    }

    @Test
    void nothingIsLostAndNothingMadeTwice() {
        long[] closing = new long[1];
        application("first", () -> {}).run(context -> {
            Orders orders = context.getBean(Orders.class);
            for (int i = 0; i < CALLS; i++) {
                orders.place(Orders.order(2, "number" + i));
            }
            closing[0] = System.nanoTime();
        });
        Duration closed = Duration.ofNanos(System.nanoTime() - closing[0]);

        application("second", () -> {}).run(context -> {
            await().until(() -> DurableTrial.stored(context) == 0);
            System.out.println("Closed in " + closed + ", with "
                    + journal("").lines(Event.EFFECT).stream()
                            .filter(line -> line.process().equals("second"))
                            .count()
                    + " of " + CALLS + " calls to make");
            assertThat(journal("").lines(Event.EFFECT))
                    .extracting(Line::order)
                    .hasSize(CALLS)
                    .doesNotHaveDuplicates();
            assertThat(journal("").lines(Event.ATTEMPT)).hasSize(2 * CALLS);
            assertThat(DurableTrial.deadLetters(context)).isEmpty();
        });
        // Spring's default for a phase is 30 s.
        assertThat(closed).isLessThan(Duration.ofSeconds(30));
    }

    @Test
    void anAttemptThatDoesNotEndIsInterruptedAndMadeLater() {
        long[] closing = new long[1];
        Journal journal = journal("");
        application("first", () -> {
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException ex) {
                        Thread.currentThread().interrupt();
                        throw new IllegalStateException(ex);
                    }
                })
                .withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=2s")
                .run(context -> {
                    context.getBean(Orders.class).place(Orders.order(1, "warm"));
                    try {
                        context.getBean(Orders.class).placeLong("long");
                    } finally {
                        await().until(() -> journal.lines(Event.ATTEMPT).size() == 3);
                        closing[0] = System.nanoTime();
                    }
                });
        // 1 s until the attempt is interrupted; the rest is for busy machines.
        assertThat(Duration.ofNanos(System.nanoTime() - closing[0])).isLessThan(Duration.ofSeconds(15));

        application("second", () -> {}).run(context -> {
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(journal.lines(Event.HOLDS)).extracting(Line::process).containsExactly("second");
            assertThat(DurableTrial.deadLetters(context)).isEmpty();
        });
    }
}
