/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import dev.retryon.ExtensionErrorListener.Source;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinPool.ForkJoinWorkerThreadFactory;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A few daemon threads of an engine for what must wait neither for the users' executor nor on the timer's thread:
 * expired
 * attempts, and the ends of calls at shutdown. They are started when needed and end when idle for a second. A pool of
 * this
 * kind gets another thread when one of its own blocks in {@code CompletableFuture.join}.
 */
final class EngineWorkers {

    static final String THREAD_NAME = "retryon-worker";

    private static final int MOST_AT_ONCE = 16;

    private static final int MOST_THREADS = 256;

    private final ExtensionErrorReporter extensionErrors;

    private final ForkJoinWorkerThreadFactory threads;

    private @Nullable ForkJoinPool pool;

    EngineWorkers(ExtensionErrorReporter extensionErrors, @Nullable ClassLoader classLoader) {
        this(extensionErrors, pool -> new Worker(pool, classLoader));
    }

    EngineWorkers(ExtensionErrorReporter extensionErrors, ForkJoinWorkerThreadFactory threads) {
        this.extensionErrors = extensionErrors;
        this.threads = threads;
    }

    /** Runs a task on one of the threads, or on this one if none can be had. */
    void execute(Runnable task) {
        // A pool that rejects a task because it can't start a thread may still keep the task.
        Runnable once = new Once(task);
        Throwable refusal = submit(once);
        if (refusal != null) {
            extensionErrors.report(
                    Source.WAIT,
                    ExtensionErrorListener.ANY,
                    "no worker thread can be started, so the task runs on the current thread",
                    refusal);
            once.run();
        }
    }

    /** Gives a task to the pool; returns what it is refused with. */
    private synchronized @Nullable Throwable submit(Runnable task) {
        try {
            if (pool == null) {
                pool = new ForkJoinPool(
                        MOST_AT_ONCE, threads, null, true, 0, MOST_THREADS, 1, null, 1, TimeUnit.SECONDS);
            }
            pool.execute(task);
            return null;
        } catch (Throwable ex) {
            // On JDK 17 it counts the thread that did not start as one that runs, and starts no other one.
            pool = null;
            return ex;
        }
    }

    /**
     * Runs tasks, {@value #MOST_AT_ONCE} at once, and waits until all have run, but not longer than a time. An
     * interrupt ends
     * the waiting and leaves the flag set.
     */
    void runAll(Collection<? extends Runnable> tasks, Duration longest) {
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
            if (!running.await(longest.toNanos(), TimeUnit.NANOSECONDS)) {
                CoreLog.warn(running.getCount() + " retried calls that shutdown ended are still being completed", null);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    /** A task that is run by the first of several threads that try to. */
    private static final class Once implements Runnable {

        private final AtomicReference<@Nullable Runnable> task;

        private Once(Runnable task) {
            this.task = new AtomicReference<>(task);
        }

        @Override
        public void run() {
            Runnable mine = task.getAndSet(null);
            if (mine == null) {
                return;
            }
            try {
                mine.run();
            } catch (Throwable ex) {
                CoreLog.warn("a task of a retry engine failed", ex);
            }
        }
    }

    private static final class Worker extends ForkJoinWorkerThread {

        private Worker(ForkJoinPool pool, @Nullable ClassLoader classLoader) {
            super(pool);
            setName(THREAD_NAME);
            setContextClassLoader(classLoader);
        }
    }
}
