// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.ExtensionErrorListener.Kind;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinPool.ForkJoinWorkerThreadFactory;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A few daemon threads of an engine, for tasks that must wait neither in the users' executor nor on the timer's thread:
 * they end expired attempts, and calls at shutdown. They start when needed, and end some seconds after their last task or
 * when the engine is closed. A pool of this kind gets another thread if one of its threads blocks in {@code
 * CompletableFuture.join}.
 */
final class EngineWorkers {

    static final String THREAD_NAME = "retryon-worker";

    private static final int MOST_AT_ONCE = 16;

    private static final int MOST_THREADS = 256;

    private final ExtensionErrorReporter extensionErrors;

    private final ForkJoinWorkerThreadFactory threads;

    private @Nullable ForkJoinPool pool;

    EngineWorkers(ExtensionErrorReporter extensionErrors, @Nullable ClassLoader classLoader) {
        this(extensionErrors, pool -> {
            ForkJoinWorkerThread worker = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
            worker.setName(THREAD_NAME);
            worker.setContextClassLoader(classLoader);
            return worker;
        });
    }

    EngineWorkers(ExtensionErrorReporter extensionErrors, ForkJoinWorkerThreadFactory threads) {
        this.extensionErrors = extensionErrors;
        this.threads = threads;
    }

    /** Runs a task on one of the threads, or on this one if no thread can be started. */
    void execute(Runnable task) {
        // A pool that rejects a task because it can't start a thread may still keep the task.
        Runnable once = new Once(task);
        Throwable refusal = submit(once);
        if (refusal != null) {
            extensionErrors.report(
                    Kind.WAIT,
                    ExtensionErrorListener.ANY,
                    "no worker thread can be started, so the task runs on the current thread",
                    refusal);
            once.run();
        }
    }

    /** Submits a task to the pool. Returns the error if the pool refuses it. */
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
     * interrupt ends the wait and leaves the flag set.
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

    /** Ends the idle threads. Tasks that are still running continue, and a later task starts other threads. */
    synchronized void close() {
        if (pool != null) {
            pool.shutdown();
            pool = null;
        }
    }

    /** A task that is run by the first of several threads that try to. */
    private static final class Once extends FutureTask<@Nullable Object> {

        private Once(Runnable task) {
            super(task, null);
        }

        @Override
        protected void setException(Throwable ex) {
            CoreLog.warn("a task of a retry engine failed", ex);
            super.setException(ex);
        }
    }
}
