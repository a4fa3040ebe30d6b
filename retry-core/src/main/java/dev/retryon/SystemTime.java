// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The system's time, for one engine. One daemon thread runs its tasks. The thread starts with the first task, and ends
 * after ten seconds without a task or, if the time is closed, shortly after the last task.
 */
final class SystemTime implements RetryTime {

    static final String THREAD_NAME = "retryon-timer";

    private static final Duration IDLE = Duration.ofSeconds(10);

    /** Not shorter, because a thread with a task that is not due yet wakes up this often. */
    private static final Duration IDLE_AFTER_CLOSING = Duration.ofMillis(100);

    private final ScheduledThreadPoolExecutor timer;

    private final BlockingWaits waits = new BlockingWaits();

    SystemTime() {
        this(IDLE);
    }

    SystemTime(Duration idle) {
        timer = new ScheduledThreadPoolExecutor(1, TimerThread::new);
        timer.setRemoveOnCancelPolicy(true);
        timer.setKeepAliveTime(idle.toNanos(), TimeUnit.NANOSECONDS);
        timer.allowCoreThreadTimeOut(true);
    }

    /** Returns whether the current thread runs the tasks of such a time, where no code of the application should run. */
    static boolean isTimerThread() {
        return Thread.currentThread() instanceof TimerThread;
    }

    @Override
    public void sleep(Duration delay) throws InterruptedException {
        sleep(delay, null);
    }

    /** Waits, but not while a switch is off. */
    void sleep(Duration delay, @Nullable RetrySwitch retrySwitch) throws InterruptedException {
        waits.sleep(delay, retrySwitch);
    }

    @Override
    public Handle schedule(Runnable task, Duration delay) {
        Future<?> scheduled =
                timer.schedule(() -> run(task), TimeUnit.NANOSECONDS.convert(delay), TimeUnit.NANOSECONDS);
        return () -> scheduled.cancel(false);
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable ex) {
            CoreLog.warn("a timed task failed", ex);
        }
    }

    /** Ends the sleeps of a switch that is off. */
    void endSleeps(RetrySwitch retrySwitch) {
        waits.end(retrySwitch);
    }

    /**
     * Ends every sleep, also those that begin later, and lets the thread end as soon as there is no task. Tasks that are
     * left, and those that are added later, still run.
     */
    void close() {
        waits.close();
        timer.setKeepAliveTime(IDLE_AFTER_CLOSING.toNanos(), TimeUnit.NANOSECONDS);
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
