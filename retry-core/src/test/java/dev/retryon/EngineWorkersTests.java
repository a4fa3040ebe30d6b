// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.ExtensionErrorListener.Kind;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The threads of an engine, when tasks fail, when they take long, and when there is no thread to be had. */
@Timeout(60)
class EngineWorkersTests {

    private static final Duration LONG = Duration.ofHours(1);

    private final List<String> faults = new ArrayList<>();

    private final EngineWorkers workers = new EngineWorkers(
            new ExtensionErrorReporter(null), Thread.currentThread().getContextClassLoader());

    @Test
    void whatATaskThrowsIsLogged() throws Exception {
        IllegalStateException broken = new IllegalStateException("broken");
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            workers.execute(() -> {
                throw broken;
            });
            while (warnings.causes().isEmpty()) {
                Thread.onSpinWait();
            }

            assertThat(warnings.messages()).containsExactly("a task of a retry engine failed");
            assertThat(warnings.causes()).containsExactly(broken);
        }
    }

    @Test
    void noThreadRemainsAfterTheEngineIsClosed() throws Exception {
        RetryEngine engine = RetryEngine.builder().build();
        AtomicReference<Thread> last = new AtomicReference<>();
        Retry retry = Retry.builder("patient", Trial.policy().delay(LONG).build())
                .engine(engine)
                .build();
        retry.callAsync(() -> CompletableFuture.failedFuture(new IOException("down")))
                .whenComplete((value, error) -> last.set(Thread.currentThread()));

        engine.close();

        Thread worker = last.get();
        assertThat(worker.getName()).isEqualTo(EngineWorkers.THREAD_NAME);
        worker.join(800);
        assertThat(worker.isAlive()).isFalse();
    }

    @Test
    void tasksThatHangDoNotStopOthers() throws Exception {
        CountDownLatch free = new CountDownLatch(1);
        for (int i = 0; i < 40; i++) {
            workers.execute(() -> awaitQuietly(free));
        }
        CompletableFuture<String> other = new CompletableFuture<>();

        workers.execute(() -> other.complete("done"));

        assertThat(other.get(30, TimeUnit.SECONDS)).isEqualTo("done");
        free.countDown();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void waitsForAllTasksAndThenSaysNothing() {
        AtomicInteger done = new AtomicInteger();
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            workers.runAll(List.of(done::incrementAndGet, done::incrementAndGet, done::incrementAndGet), LONG);

            assertThat(done).hasValue(3);
            assertThat(warnings.messages()).isEmpty();
        }
    }

    @Test
    void saysHowManyTasksItDidNotWaitFor() {
        CompletableFuture<Void> end = new CompletableFuture<>();
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            workers.runAll(List.of(end::join, end::join), Duration.ofMillis(1));

            assertThat(warnings.messages()).containsExactly("2 retried calls are still completing after the shutdown");
        } finally {
            end.complete(null);
        }
    }

    @Test
    void anInterruptEndsTheWaitingAndLeavesTheFlag() {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Thread.currentThread().interrupt();
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            workers.runAll(List.of(end::join), LONG);

            assertThat(Thread.interrupted()).isTrue();
            assertThat(warnings.messages()).isEmpty();
        } finally {
            end.complete(null);
        }
    }

    @Test
    void aTaskForWhichNoThreadCanBeHadRunsOnceOnTheThreadAtHandAndLaterOnesRunElsewhere() throws Exception {
        OutOfMemoryError exhausted = new OutOfMemoryError("unable to create native thread");
        CountDownLatch refused = new CountDownLatch(1);
        ExtensionErrorReporter listened = new ExtensionErrorReporter((source, name, sentence, cause) -> {
            assertThat(cause).isSameAs(exhausted);
            faults.add(source + " of " + name + ": " + sentence);
        });
        EngineWorkers starved = new EngineWorkers(listened, task -> {
            if (refused.getCount() > 0) {
                refused.countDown();
                throw exhausted;
            }
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            return thread;
        });
        List<Thread> threads = new ArrayList<>();

        starved.execute(() -> threads.add(Thread.currentThread()));
        assertThat(threads).containsExactly(Thread.currentThread());
        assertThat(faults)
                .containsExactly(
                        Kind.WAIT + " of any: no worker thread can be started, so the task runs on the current thread");

        CountDownLatch later = new CountDownLatch(100);
        Set<Thread> others = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 100; i++) {
            starved.execute(() -> {
                others.add(Thread.currentThread());
                later.countDown();
            });
        }
        later.await();
        assertThat(others).isNotEmpty().doesNotContain(Thread.currentThread());
        assertThat(threads).hasSize(1);
        assertThat(faults).hasSize(1);
    }
}
