/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import dev.retryon.RetryFaultListener.Source;
import java.util.Collection;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A few daemon threads of an engine for what must wait neither for the users' executor nor on the timer's thread: expired
 * attempts, and the ends of calls at shutdown. They are started when needed and end when idle for a second. A pool of this
 * kind gets another thread when one of its own blocks in {@code CompletableFuture.join}.
 */
final class EngineWorkers {

    static final String THREAD_NAME = "retryon-worker";

    private static final int MOST_AT_ONCE = 16;

    private static final int MOST_THREADS = 256;

    private final Faults faults;

    private final @Nullable ClassLoader classLoader;

    private @Nullable ForkJoinPool pool;

    EngineWorkers(Faults faults, @Nullable ClassLoader classLoader) {
        this.faults = faults;
        this.classLoader = classLoader;
    }

    /** Runs a task on one of the threads, or on this one if none can be had. */
    void execute(Runnable task) {
        Runnable logged = () -> run(task);
        try {
            pool().execute(logged);
        } catch (Throwable ex) {
            faults.report(
                    Source.WAIT,
                    RetryFaultListener.ANY,
                    "no thread can be started, so a task is run on the thread at hand",
                    ex);
            logged.run();
        }
    }

    /**
     * Runs tasks, {@value #MOST_AT_ONCE} at once, and waits until all have run, for ten seconds at most. An interrupt ends
     * the waiting and leaves the flag set.
     */
    void runAll(Collection<? extends Runnable> tasks) {
        if (tasks.isEmpty()) {
            return;
        }
        CountDownLatch running = new CountDownLatch(tasks.size());
        for (Runnable task : tasks) {
            execute(() -> {
                try {
                    task.run();
                } finally {
                    running.countDown();
                }
            });
        }
        try {
            if (!running.await(10, TimeUnit.SECONDS)) {
                CoreLog.warn(running.getCount() + " retried calls that shutdown ended are still being completed", null);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable ex) {
            CoreLog.warn("a task of a retry engine failed", ex);
        }
    }

    private synchronized ForkJoinPool pool() {
        if (pool == null) {
            pool = new ForkJoinPool(
                    MOST_AT_ONCE, Worker::new, null, true, 0, MOST_THREADS, 1, null, 1, TimeUnit.SECONDS);
        }
        return pool;
    }

    private final class Worker extends ForkJoinWorkerThread {

        private Worker(ForkJoinPool pool) {
            super(pool);
            setName(THREAD_NAME);
            setContextClassLoader(classLoader);
        }
    }
}
