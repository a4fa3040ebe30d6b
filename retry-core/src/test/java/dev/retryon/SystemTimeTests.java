// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SystemTimeTests {

    private static final Duration LONG = Duration.ofHours(1);

    private final SystemTime timer = new SystemTime();

    @AfterEach
    void letTheThreadGo() {
        timer.close();
    }

    private static void nothing() {}

    /** Without a task, the thread would go after ten seconds, and the next task would have another one. */
    private void keepTheThread() {
        timer.schedule(SystemTimeTests::nothing, LONG);
    }

    /** The thread on which the timer runs its tasks. */
    private Thread thread() throws Exception {
        return thread(timer);
    }

    private static Thread thread(SystemTime timer) throws Exception {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        timer.schedule(() -> thread.complete(Thread.currentThread()), Duration.ofNanos(1));
        return thread.get();
    }

    @Test
    void keepsNothingOfACallThatHasEnded() throws Exception {
        RetryEngine engine = RetryEngine.builder().build();
        WeakReference<Object> argument = retried(engine);

        assertThat(isReleased(argument)).isTrue();
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
    void keepsNothingOfATaskThatIsCancelled() throws Exception {
        keepTheThread();
        AtomicReference<RetryTime.Handle> handle = new AtomicReference<>();
        WeakReference<Object> referenced = scheduled(handle);

        handle.get().cancel();

        assertThat(isReleased(referenced)).isTrue();
    }

    private WeakReference<Object> scheduled(AtomicReference<RetryTime.Handle> handle) {
        Object referenced = new Object();
        handle.set(timer.schedule(() -> assertThat(referenced).isNotNull(), LONG));
        return new WeakReference<>(referenced);
    }

    private static boolean isReleased(WeakReference<Object> referenced) {
        for (int round = 0; round < 60 && referenced.get() != null; round++) {
            System.gc();
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        }
        return referenced.get() == null;
    }

    @Test
    void theThreadEndsAfterTheLastTaskThatIsCancelledAfterClosing() throws Exception {
        RetryTime.Handle limit = timer.schedule(SystemTimeTests::nothing, LONG);
        Thread thread = thread();
        timer.close();
        assertThat(thread()).isSameAs(thread);

        limit.cancel();

        thread.join();
    }

    @Test
    void theThreadEndsWhenThereWasNoTaskForTheIdleTimeAndAnotherOneStarts() throws Exception {
        SystemTime hasty = new SystemTime(Duration.ofMillis(1));
        thread(hasty).join();
        thread(hasty).join();
    }

    @Test
    void runsTasksThatAreAddedAfterClosing() throws Exception {
        timer.close();
        thread().join();
        thread().join();
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
    void theLongestDelayDoesNotOverflow() throws Exception {
        RetryTime.Handle never = timer.schedule(SystemTimeTests::nothing, Duration.ofSeconds(Long.MAX_VALUE));
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
        assertThat(thread.getName()).isEqualTo(SystemTime.THREAD_NAME);
        // At once; the limit is for a busy machine.
        thread.join(Duration.ofSeconds(20).toMillis());
        assertThat(thread.isAlive()).isFalse();
    }
}
