// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.backoff.DurationText;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The system's time, for one engine. A sleeping thread parks itself, so the cost of a sleep does not depend on the number of
 * other sleeps. One daemon thread runs the tasks. It starts with the first task, and ends after ten seconds without a task
 * or, if the time is closed, shortly after the last task.
 */
final class SystemTime implements RetryTime {

    static final String THREAD_NAME = "retryon-timer";

    private static final Duration IDLE = Duration.ofSeconds(10);

    /** Not shorter, because a thread with a task that is not due yet wakes up this often. */
    private static final Duration IDLE_AFTER_CLOSING = Duration.ofMillis(100);

    private final ScheduledThreadPoolExecutor timer;

    private final Set<Sleep> sleeps = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    SystemTime() {
        this(IDLE);
    }

    SystemTime(Duration idle) {
        timer = new ScheduledThreadPoolExecutor(1, TimerThread::new);
        timer.setRemoveOnCancelPolicy(true);
        timer.setKeepAliveTime(idle.toNanos(), TimeUnit.NANOSECONDS);
        timer.allowCoreThreadTimeOut(true);
    }

    /** Returns whether the current thread runs timer tasks, and should therefore not run application code. */
    static boolean isTimerThread() {
        return Thread.currentThread() instanceof TimerThread;
    }

    @Override
    public void sleep(Duration delay) throws InterruptedException {
        sleep(delay, null);
    }

    /** Waits until the delay is over or the switch is off. */
    void sleep(Duration delay, @Nullable RetrySwitch retrySwitch) throws InterruptedException {
        long end = System.nanoTime() + delay.toNanos();
        Sleep sleep = new Sleep(Thread.currentThread(), retrySwitch);
        sleeps.add(sleep);
        try {
            // No sleep is missed: both are read after the sleep was added, and set before the sleeps are listed.
            while (!closed && !sleep.isSwitchedOff()) {
                long remaining = end - System.nanoTime();
                if (remaining <= 0) {
                    return;
                }
                if (Thread.interrupted()) {
                    throw new InterruptedException("interrupted while waiting for the next attempt");
                }
                LockSupport.parkNanos(this, remaining);
            }
        } finally {
            sleeps.remove(sleep);
        }
        CoreLog.debug("a wait of " + DurationText.print(delay) + " ended early", null);
    }

    int sleeping() {
        return sleeps.size();
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

    void endSleeps(RetrySwitch retrySwitch) {
        for (Sleep sleep : sleeps) {
            if (sleep.retrySwitch == retrySwitch) {
                LockSupport.unpark(sleep.thread);
            }
        }
    }

    /** Ends every sleep, even later ones, and lets the thread end when no task is left. Remaining and later tasks still run. */
    void close() {
        closed = true;
        for (Sleep sleep : sleeps) {
            LockSupport.unpark(sleep.thread);
        }
        timer.setKeepAliveTime(IDLE_AFTER_CLOSING.toNanos(), TimeUnit.NANOSECONDS);
    }

    private static final class Sleep {

        private final Thread thread;

        private final @Nullable RetrySwitch retrySwitch;

        private Sleep(Thread thread, @Nullable RetrySwitch retrySwitch) {
            this.thread = thread;
            this.retrySwitch = retrySwitch;
        }

        private boolean isSwitchedOff() {
            return retrySwitch != null && retrySwitch.isOff();
        }
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
