// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The waits of blocking calls in the system's time. */
@Timeout(60)
class BlockingWaitsTests {

    private static final Duration LONG = Duration.ofHours(1);

    private final SystemTime time = new SystemTime();

    /** A thread that waits, once it is registered. */
    private Thread waiting(Duration delay, Runnable after) {
        int before = time.sleeping();
        Thread thread = new Thread(() -> {
            try {
                time.sleep(delay, null);
                after.run();
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
        });
        thread.start();
        while (time.sleeping() == before && thread.isAlive()) {
            Thread.onSpinWait();
        }
        return thread;
    }

    @Test
    void closingEndsAllWaits() throws Exception {
        CountDownLatch ended = new CountDownLatch(100);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            threads.add(waiting(LONG, ended::countDown));
        }

        time.close();

        ended.await();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(time.sleeping()).isZero();
    }

    @Test
    void closingEndsThoseThatAreLeftWhenOthersHaveEndedInAnyOrder() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            threads.add(waiting(LONG, () -> {}));
        }
        Collections.shuffle(threads, new Random(7));
        List<Thread> interrupted = threads.subList(0, 120);

        for (Thread thread : interrupted) {
            thread.interrupt();
            thread.join();
        }

        assertThat(time.sleeping()).isEqualTo(80);
        time.close();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(time.sleeping()).isZero();
    }

    @Test
    void aWaitThatBeginsWhileClosingIsNotMissed() throws Exception {
        for (int round = 0; round < 2_000; round++) {
            SystemTime racing = new SystemTime();
            Thread thread = new Thread(() -> {
                try {
                    racing.sleep(LONG, null);
                } catch (InterruptedException ex) {
                    Thread.currentThread().interrupt();
                }
            });
            thread.start();
            racing.close();
            thread.join();
        }
    }

    /** In a queue that all share, the end of one wait would walk past the others. */
    @Test
    void eachThreadParksByItself() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            threads.add(waiting(LONG, () -> {}));
        }

        for (Thread thread : threads) {
            while (LockSupport.getBlocker(thread) == null) {
                assertThat(thread.isAlive()).isTrue();
                Thread.onSpinWait();
            }
            assertThat(LockSupport.getBlocker(thread)).isSameAs(time);
        }

        time.close();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Test
    void endsAtOnceWhenItIsClosedAlready() throws Exception {
        time.close();

        time.sleep(LONG, null);

        assertThat(time.sleeping()).isZero();
    }

    @Test
    void whoeverLooksIsToldThatAWaitWasEndedEarly() throws Exception {
        time.close();
        try (LoggedWarnings logged = new LoggedWarnings(Level.FINE)) {
            time.sleep(LONG, null);

            assertThat(logged.messages()).containsExactly("a wait of 1h ended early");
        }
    }

    @Test
    void anInterruptEndsAWait() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> time.sleep(LONG, null)).isInstanceOf(InterruptedException.class);

        assertThat(Thread.interrupted()).isFalse();
        assertThat(time.sleeping()).isZero();
    }

    @Test
    void isNotEndedByAPermitThatSomebodyElseGave() throws Exception {
        Duration delay = Duration.ofMillis(20);
        AtomicBoolean over = new AtomicBoolean();
        long start = System.nanoTime();
        Thread thread = waiting(delay, () -> over.set(System.nanoTime() - start >= delay.toNanos()));
        while (thread.isAlive()) {
            LockSupport.unpark(thread);
        }

        assertThat(over).isTrue();
    }
}
