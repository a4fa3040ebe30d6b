// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DaemonTimerTests {

    private static final Duration LONG = Duration.ofHours(1);

    private final DaemonTimer timer = new DaemonTimer(System::nanoTime);

    @AfterEach
    void letTheThreadGo() {
        timer.close(TimedTask.class);
    }

    private static void nothing() {}

    /** Without a task, the thread would go after ten seconds, and the next task would have another one. */
    private void keepTheThread() {
        timer.schedule(DaemonTimerTests::nothing, LONG);
    }

    /** The thread on which the timer runs its tasks. */
    private Thread thread() throws Exception {
        return thread(timer);
    }

    private static Thread thread(DaemonTimer timer) throws Exception {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        timer.schedule(() -> thread.complete(Thread.currentThread()), Duration.ofNanos(1));
        return thread.get();
    }

    @Test
    void keepsNothingOfACallThatHasEnded() throws Exception {
        RetryEngine engine = RetryEngine.builder().build();
        WeakReference<Object> argument = retried(engine);

        for (int round = 0; round < 60 && argument.get() != null; round++) {
            System.gc();
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        }

        assertThat(argument.get()).isNull();
        engine.close();
    }

    private static WeakReference<Object> retried(RetryEngine engine) throws Exception {
        Object argument = new Object();
        RetryPolicy policy = RetryPolicy.builder()
                .retryOn(IllegalStateException.class)
                .delay(Duration.ofMillis(1))
                .build();
        CompletableFuture<String> call = Retry.builder("kept", policy)
                .engine(engine)
                .build()
                .callAsync(
                        argument,
                        (subject, attempt) -> attempt == 1
                                ? CompletableFuture.failedFuture(new IllegalStateException("down"))
                                : CompletableFuture.completedFuture("done"));
        assertThat(call.get()).isEqualTo("done");
        return new WeakReference<>(argument);
    }

    @Test
    void runsTasksInTheOrderOfTheirTimesAndNotThoseTakenBack() throws Exception {
        // Time stands still until all are scheduled: else a task of a shorter delay, scheduled later, would be due
        // later.
        AtomicLong now = new AtomicLong();
        DaemonTimer timer = new DaemonTimer(now::get);
        List<Integer> run = Collections.synchronizedList(new ArrayList<>());
        Semaphore done = new Semaphore(0);
        List<Integer> delays = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            delays.add(i);
        }
        Collections.shuffle(delays, new Random(1));
        List<RetryTimer.Handle> odd = new ArrayList<>();
        for (int delay : delays) {
            RetryTimer.Handle handle = timer.schedule(
                    () -> {
                        run.add(delay);
                        done.release();
                    },
                    Duration.ofMillis(50 + delay / 2 * 2L));
            if (delay % 2 == 1) {
                odd.add(handle);
            }
        }
        odd.forEach(RetryTimer.Handle::cancel);
        assertThat(run).isEmpty();

        now.set(Duration.ofHours(1).toNanos());

        done.acquire(100);
        assertThat(run).hasSize(100).isSorted().allMatch(delay -> delay % 2 == 0);
    }

    @Test
    void goesOnAfterATaskThatThrowsAndAnInterrupt() throws Exception {
        keepTheThread();
        timer.schedule(
                () -> {
                    throw new IllegalStateException("task");
                },
                Duration.ofNanos(1));
        Thread thread = thread();
        thread.interrupt();

        assertThat(thread()).isSameAs(thread);
    }

    @Test
    void goesOnAfterATaskThatThrowsAndALoggerThatThrows() throws Exception {
        keepTheThread();
        Thread thread = thread();
        Handler failing = new Handler() {
            @Override
            public void publish(LogRecord logRecord) {
                throw new NoClassDefFoundError("appender");
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger("dev.retryon");
        logger.addHandler(failing);
        try {
            timer.schedule(
                    () -> {
                        throw new OutOfMemoryError("task");
                    },
                    Duration.ofNanos(1));

            assertThat(thread()).isSameAs(thread);
        } finally {
            logger.removeHandler(failing);
        }
    }

    @Test
    void anotherThreadGoesOnWhenTheThreadDies() throws Exception {
        AtomicBoolean broken = new AtomicBoolean();
        CompletableFuture<Thread> dead = new CompletableFuture<>();
        DaemonTimer timer = new DaemonTimer(() -> {
            if (DaemonTimer.isCurrentThread() && broken.getAndSet(false)) {
                Thread.currentThread().setUncaughtExceptionHandler((thread, error) -> dead.complete(thread));
                throw new OutOfMemoryError("in the loop");
            }
            return System.nanoTime();
        });
        CompletableFuture<Thread> run = new CompletableFuture<>();
        broken.set(true);
        timer.schedule(() -> run.complete(Thread.currentThread()), Duration.ofMillis(1));

        assertThat(run.get()).isNotSameAs(dead.get());
        timer.close(TimedTask.class);
    }

    @Test
    void staysUsableWhenTheStackOfACallerOverflowsAnywhereInside() throws Exception {
        keepTheThread();
        for (int round = 0; round < 100; round++) {
            Thread deep = new Thread(null, this::overflow, "deep", 256 * 1024L);
            deep.start();
            deep.join();
        }

        thread();
        assertThat(timer.close(Marked.class)).allMatch(task -> task.index == -1);
    }

    /** Schedules and cancels tasks at each depth of a stack that is too small for it. */
    @SuppressWarnings("InfiniteRecursion") // until the stack overflows
    private int overflow() {
        try {
            Marked task = new Marked();
            timer.schedule(task, LONG);
            timer.cancel(task);
            return overflow() + 1;
        } catch (StackOverflowError ex) {
            return 0;
        }
    }

    @Test
    void theThreadEndsWithTheLastTaskThatIsTakenBackAfterClosing() throws Exception {
        // It would end by itself, but not before the test does.
        DaemonTimer timer = new DaemonTimer(System::nanoTime, LONG);
        CompletableFuture<Thread> first = new CompletableFuture<>();
        timer.close(Marked.class);
        RetryTimer.Handle limit = timer.schedule(DaemonTimerTests::nothing, LONG);
        timer.schedule(() -> first.complete(Thread.currentThread()), Duration.ofNanos(1));
        Thread thread = first.get();
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.yield();
        }

        limit.cancel();

        thread.join();
    }

    @Test
    void theThreadWaitsForMoreTasksAndEndsWhenThereWasNoneForTheIdleTime() throws Exception {
        DaemonTimer patient = new DaemonTimer(System::nanoTime, LONG);
        Thread thread = thread(patient);
        while (thread.getState() != Thread.State.TIMED_WAITING && thread.isAlive()) {
            Thread.yield();
        }
        assertThat(thread(patient)).isSameAs(thread);
        patient.close(TimedTask.class);

        DaemonTimer hasty = new DaemonTimer(System::nanoTime, Duration.ofMillis(1));
        thread(hasty).join();
        thread(hasty).join();
    }

    @Test
    void isOneDaemonThread() throws Exception {
        keepTheThread();
        Thread thread = thread();

        assertThat(thread.isDaemon()).isTrue();
        assertThat(thread.getContextClassLoader()).isNull();
        assertThat(thread()).isSameAs(thread);
    }

    @Test
    void closingTakesOutTasksOfATypeAndKeepsTheOthers() throws Exception {
        // Time stands still until the timer is closed: else the task that is kept could have run before.
        AtomicLong now = new AtomicLong();
        DaemonTimer timer = new DaemonTimer(now::get);
        CompletableFuture<Thread> kept = new CompletableFuture<>();
        timer.schedule(() -> kept.complete(Thread.currentThread()), Duration.ofMillis(50));
        Marked marked = new Marked();
        timer.schedule(marked, LONG);

        assertThat(timer.close(Marked.class)).containsExactly(marked);

        timer.cancel(marked);
        assertThat(kept).isNotDone();
        now.set(Duration.ofMillis(50).toNanos());
        kept.get().join();
    }

    @Test
    void startsAgainWhenItIsNeededAfterClosing() throws Exception {
        timer.close(Marked.class);
        thread().join();
        thread().join();
    }

    @Test
    void theLongestDelayDoesNotOverflow() throws Exception {
        RetryTimer.Handle never = timer.schedule(DaemonTimerTests::nothing, Duration.ofSeconds(Long.MAX_VALUE));
        thread();
        never.cancel();
    }

    @Test
    void closingAnEngineLeavesNoThread() throws Exception {
        CompletableFuture<Thread> timing = new CompletableFuture<>();
        RetryEngine engine = RetryEngine.builder()
                .executor(task -> timing.complete(Thread.currentThread()))
                .build();
        RetryPolicy policy = RetryPolicy.builder()
                .retryOn(Exception.class)
                .delay(Duration.ofMillis(1))
                .build();
        Retry.builder("a", policy).engine(engine).build().callAsync(() -> {
            throw new Exception();
        });
        Thread thread = timing.get();
        CompletableFuture<String> waiting = Retry.builder(
                        "b", policy.toBuilder().delay(Duration.ofHours(1)).build())
                .engine(engine)
                .build()
                .callAsync(() -> {
                    throw new Exception();
                });

        engine.close();

        assertThat(waiting).isCompletedExceptionally();
        assertThat(thread.getName()).isEqualTo(DaemonTimer.THREAD_NAME);
        // At once; the limit is for a busy machine.
        thread.join(Duration.ofSeconds(20).toMillis());
        assertThat(thread.isAlive()).isFalse();
    }

    private static final class Marked extends TimedTask {

        @Override
        public void run() {}
    }
}
