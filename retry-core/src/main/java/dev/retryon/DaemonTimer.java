// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The timer of an engine: one daemon thread, which starts with the first task. It ends after ten seconds without a task
 * or, if the timer is closed, shortly after the last task.
 */
final class DaemonTimer implements RetryTimer {

    static final String THREAD_NAME = "retryon-timer";

    private static final Duration IDLE = Duration.ofSeconds(10);

    /** Not shorter, because a thread with a task that is not due yet wakes up this often. */
    private static final Duration IDLE_AFTER_CLOSING = Duration.ofMillis(100);

    private final ScheduledThreadPoolExecutor executor;

    DaemonTimer() {
        this(IDLE);
    }

    DaemonTimer(Duration idle) {
        executor = new ScheduledThreadPoolExecutor(1, TimerThread::new);
        executor.setRemoveOnCancelPolicy(true);
        executor.setKeepAliveTime(idle.toNanos(), TimeUnit.NANOSECONDS);
        executor.allowCoreThreadTimeOut(true);
    }

    /** Returns whether the current thread is a thread of such a timer, where no code of the application should run. */
    static boolean isCurrentThread() {
        return Thread.currentThread() instanceof TimerThread;
    }

    @Override
    public Handle schedule(Runnable task, Duration delay) {
        Future<?> scheduled =
                executor.schedule(() -> run(task), TimeUnit.NANOSECONDS.convert(delay), TimeUnit.NANOSECONDS);
        return () -> scheduled.cancel(false);
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable ex) {
            CoreLog.warn("a timed task failed", ex);
        }
    }

    /** Lets the thread end as soon as there is no task. Tasks that are left, and those that are added later, still run. */
    void close() {
        executor.setKeepAliveTime(IDLE_AFTER_CLOSING.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Inherits no thread-locals and no class loader, because it outlives the caller who needed it first. */
    private static final class TimerThread extends Thread {

        private TimerThread(Runnable run) {
            super(null, run, THREAD_NAME, 0, false);
            setDaemon(true);
            setContextClassLoader(null);
        }
    }
}
