// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.backoff.Jitter;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which thread does what, with the engine's own timer and in real time. */
@Timeout(60)
class AsyncThreadsTests {

    /** Long enough for a test's own thread to wait for the stage before it expires, even on a busy machine. */
    private static final Duration EXPIRY = Duration.ofMillis(20);

    private final RetryEngineBuilder builder = RetryEngine.builder();

    private final RetryPolicyBuilder policy = RetryPolicy.builder()
            .retryOn(IOException.class)
            .delay(Duration.ofMillis(1))
            .jitter(Jitter.none());

    private RetryEngine engine;

    private Retry retry(Executor executor) {
        engine = builder.executor(executor).build();
        return Retry.builder("catalogue", policy.build()).engine(engine).build();
    }

    /** Makes calls end only after what depends on them is registered, which would else run on the thread of the test. */
    private CompletableFuture<Void> endsWait() {
        CompletableFuture<Void> registered = new CompletableFuture<>();
        builder.listener(event -> registered.join());
        return registered;
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private static CompletableFuture<String> failing(AtomicInteger attempts, int times) {
        int attempt = attempts.incrementAndGet();
        return attempt <= times
                ? CompletableFuture.failedFuture(new IOException("attempt " + attempt))
                : CompletableFuture.completedFuture("value");
    }

    @Test
    void noAttemptRunsOnTheTimersThreadThoughTheExecutorRunsTasksOnItsCallers() throws Exception {
        List<String> threads = new CopyOnWriteArrayList<>();
        AtomicInteger attempts = new AtomicInteger();

        String value = retry(Runnable::run)
                .callAsync(() -> {
                    threads.add(Thread.currentThread().getName());
                    return failing(attempts, 2);
                })
                .get();

        assertThat(value).isEqualTo("value");
        assertThat(threads).hasSize(3).doesNotContain(SystemTime.THREAD_NAME);
    }

    @Test
    void anAttemptMayWaitForAnotherCallThoughTheExecutorRunsTasksOnItsCallers() throws Exception {
        Retry retry = retry(Runnable::run);
        AtomicInteger inner = new AtomicInteger();
        AtomicInteger outer = new AtomicInteger();

        CompletableFuture<String> called = retry.callAsync(() -> failing(outer, 1)
                .thenApply(value -> retry.callAsync(() -> failing(inner, 2)).join()));

        assertThat(called.get()).isEqualTo("value");
    }

    @Test
    void anAttemptExpiresWhileTheExecutorIsBusy() {
        policy.attemptTimeout(EXPIRY).maxAttempts(1);
        CompletableFuture<String> never = new CompletableFuture<>();
        CompletableFuture<String> called = retry(task -> {}).callAsync(() -> never);

        assertThatThrownBy(called::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(AttemptTimeoutException.class);
        assertThatThrownBy(never::get).isInstanceOf(CancellationException.class);
    }

    @Test
    void whatDependsOnAnExpiredCallMayWaitForAnotherOne() throws Exception {
        policy.attemptTimeout(EXPIRY).maxAttempts(1);
        CompletableFuture<Void> registered = endsWait();
        Retry retry = retry(Runnable::run);
        CompletableFuture<Thread> thread = new CompletableFuture<>();

        CompletableFuture<String> nested = retry.<String>callAsync(CompletableFuture::new)
                .handle((value, error) -> {
                    thread.complete(Thread.currentThread());
                    return retry.<String>callAsync(CompletableFuture::new)
                            .handle((inner, second) -> "both expired")
                            .join();
                });
        registered.complete(null);

        assertThat(nested.get()).isEqualTo("both expired");
        assertThat(thread.get().getName()).isEqualTo(EngineWorkers.THREAD_NAME);
        assertThat(thread.get().isDaemon()).isTrue();
    }

    @Test
    void theThreadsOfAnEngineHaveTheClassLoaderOfWhoeverBuiltItAndThoseOfTheSharedOneHaveNone() throws Exception {
        ClassLoader loader = new ClassLoader(null) {};
        Thread caller = Thread.currentThread();
        ClassLoader before = caller.getContextClassLoader();
        caller.setContextClassLoader(loader);
        try {
            engine = builder.build();
        } finally {
            caller.setContextClassLoader(before);
        }

        assertThat(classLoaderOfWorkers(engine)).containsSame(loader);
        assertThat(classLoaderOfWorkers(RetryEngine.shared())).isEmpty();
    }

    /** A recovery serves an attempt that has expired on the thread that ends it. */
    private Optional<ClassLoader> classLoaderOfWorkers(RetryEngine of) throws Exception {
        Retry retry = Retry.builder(
                        "expiring", policy.attemptTimeout(EXPIRY).maxAttempts(1).build())
                .engine(of)
                .uncheckedRecovery((subject, thrown, context) -> Optional.of(Thread.currentThread()))
                .build();
        Thread worker =
                retry.<Optional<Thread>>callAsync(CompletableFuture::new).get().orElseThrow();
        assertThat(worker.getName()).isEqualTo(EngineWorkers.THREAD_NAME);
        return Optional.ofNullable(worker.getContextClassLoader());
    }

    @Test
    void theThreadsOfAnEngineEndAfterItWasClosed() throws Exception {
        policy.attemptTimeout(EXPIRY).maxAttempts(1);
        CompletableFuture<Void> registered = endsWait();
        CompletableFuture<Thread> thread = retry(Runnable::run)
                .<String>callAsync(CompletableFuture::new)
                .handle((value, error) -> Thread.currentThread());
        registered.complete(null);
        Thread worker = thread.get();

        engine.close();

        // A second of idleness; the limit is for a busy machine.
        worker.join(Duration.ofSeconds(20).toMillis());
        assertThat(worker.isAlive()).isFalse();
    }
}
