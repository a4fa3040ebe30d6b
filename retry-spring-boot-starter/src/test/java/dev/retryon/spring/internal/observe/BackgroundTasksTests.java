// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.module.BackgroundTasks;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BackgroundTasksTests {

    private static final Duration SOON = Duration.ofMillis(1);

    private final BackgroundTasks tasks = new BackgroundTasks("tests-");

    @AfterEach
    void stop() {
        tasks.stop();
    }

    @Test
    void doesEachTaskAgainAndAgainOnADaemonOfItsOwn() throws InterruptedException {
        CountDownLatch counted = new CountDownLatch(3);
        CompletableFuture<Boolean> isDaemon = new CompletableFuture<>();

        tasks.start(
                task(() -> {
                    isDaemon.complete(Thread.currentThread().isDaemon());
                    await(counted, Duration.ofSeconds(30)); // holds its thread, and the other task continues
                }),
                task(counted::countDown));

        assertThat(counted.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(isDaemon).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(true);
    }

    @Test
    void startsOnceUntilItIsStopped() throws InterruptedException {
        CountDownLatch again = new CountDownLatch(1);

        assertThat(tasks.isRunning()).isFalse();
        assertThat(tasks.start(task(() -> {}))).isTrue();
        assertThat(tasks.start(task(() -> {}))).isFalse();
        assertThat(tasks.isRunning()).isTrue();
        tasks.stop();
        assertThat(tasks.isRunning()).isFalse();
        assertThat(tasks.start(task(again::countDown))).isTrue();

        assertThat(again.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void waitsForATaskThatRunsAndDoesNotInterruptIt() throws InterruptedException {
        CountDownLatch isRunning = new CountDownLatch(1);
        AtomicBoolean isDone = new AtomicBoolean();
        tasks.start(task(() -> {
            isRunning.countDown();
            isDone.set(
                    await(new CountDownLatch(1), Duration.ofMillis(200))); // an interrupt would end it before its time
        }));
        assertThat(isRunning.await(30, TimeUnit.SECONDS)).isTrue();

        tasks.stop();

        assertThat(isDone).isTrue();
    }

    private static BackgroundTasks.Task task(Runnable work) {
        return new BackgroundTasks.Task(work, Duration.ZERO, SOON);
    }

    /** Returns {@code false} after an interrupt. */
    private static boolean await(CountDownLatch latch, Duration most) {
        try {
            var unused = latch.await(most.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (InterruptedException ex) {
            return false;
        }
    }
}
