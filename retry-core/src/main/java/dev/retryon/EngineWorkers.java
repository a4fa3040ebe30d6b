// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.ExtensionErrorListener.Kind;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Daemon threads of an engine, for tasks that must not wait in the users' executor or on the timer's thread. These tasks end
 * expired attempts, and calls at shutdown. Each task gets its own thread, up to {@value #MOST_THREADS}, because it runs the
 * application's code, which can block. Threads end a second after their last task or, if the engine is closed, immediately.
 */
final class EngineWorkers {

    static final String THREAD_NAME = "retryon-worker";

    static final int MOST_THREADS = 64;

    private final ExtensionErrorReporter extensionErrors;

    private final ThreadPoolExecutor pool;

    EngineWorkers(ExtensionErrorReporter extensionErrors, @Nullable ClassLoader classLoader) {
        this(extensionErrors, task -> {
            Thread worker = new Thread(null, task, THREAD_NAME, 0, false);
            worker.setDaemon(true);
            worker.setContextClassLoader(classLoader);
            return worker;
        });
    }

    EngineWorkers(ExtensionErrorReporter extensionErrors, ThreadFactory threads) {
        this.extensionErrors = extensionErrors;
        this.pool = new ThreadPoolExecutor(
                MOST_THREADS, MOST_THREADS, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
        pool.allowCoreThreadTimeOut(true);
    }

    /** Runs a task on one of the threads, or on the current thread if no thread can be started. */
    void execute(Runnable task) {
        Runnable logged = () -> run(task);
        try {
            pool.execute(logged);
        } catch (Throwable ex) {
            extensionErrors.report(
                    Kind.WAIT,
                    ExtensionErrorListener.ANY,
                    "no worker thread can be started, so the task runs on the current thread",
                    ex);
            logged.run();
        }
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable ex) {
            CoreLog.warn("a task of a retry engine failed", ex);
        }
    }

    /** Runs tasks and waits for them, at most for the given time. An interrupt ends the wait and leaves the flag set. */
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
                CoreLog.warn(running.getCount() + " retried calls are still completing after the shutdown", null);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the idle threads. Tasks that are still running continue, and a later task starts another thread. */
    void close() {
        pool.setKeepAliveTime(1, TimeUnit.MILLISECONDS);
    }
}
