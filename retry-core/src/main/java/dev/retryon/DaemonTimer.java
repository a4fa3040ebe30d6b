// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The timer of an engine: a heap of tasks and one daemon thread, which the first task starts. The thread ends after
 * ten seconds without a task or, if the timer is closed, as soon as there is no task. If the thread dies while there
 * are tasks, a new one starts.
 *
 * <p>It is not a {@code ScheduledThreadPoolExecutor}, because a waiting call would need 435 instead of 271 bytes
 * (measured on JDK 17), and because its locks are not released if the stack of a caller overflows while it holds
 * them. A monitor is always released.
 */
final class DaemonTimer implements RetryTimer {

    static final String THREAD_NAME = "retryon-timer";

    /** How long the thread waits for another task. */
    private static final Duration IDLE = Duration.ofSeconds(10);

    /** A limit at which differences of times do not overflow. */
    private static final long LONGEST_NANOS = Long.MAX_VALUE / 4;

    private final Ticker ticker;

    private final long idleNanos;

    /** Guards the fields below. */
    private final Object monitor = new Object();

    private final TaskHeap heap = new TaskHeap();

    private @Nullable Thread thread;

    private boolean closed;

    DaemonTimer(Ticker ticker) {
        this(ticker, IDLE);
    }

    DaemonTimer(Ticker ticker, Duration idle) {
        this.ticker = ticker;
        this.idleNanos = idle.toNanos();
    }

    /** Returns whether the current thread is a thread of such a timer, where no code of the application should run. */
    static boolean isCurrentThread() {
        return Thread.currentThread() instanceof TimerThread;
    }

    @Override
    public Handle schedule(Runnable task, Duration delay) {
        Scheduled scheduled = new Scheduled(task);
        schedule(scheduled, delay);
        return scheduled;
    }

    /** Schedules a task that is its own entry in the heap. */
    void schedule(TimedTask task, Duration delay) {
        task.at = ticker.read() + Math.min(TimeUnit.NANOSECONDS.convert(delay), LONGEST_NANOS);
        Thread woken;
        synchronized (monitor) {
            if (thread == null) {
                start();
            }
            woken = heap.add(task) ? thread : null;
        }
        LockSupport.unpark(woken);
    }

    /** Cancels a task. Does nothing if it was not scheduled or is due already. */
    void cancel(TimedTask task) {
        Thread woken;
        synchronized (monitor) {
            woken = heap.remove(task) && closed && heap.isEmpty() ? thread : null;
        }
        LockSupport.unpark(woken);
    }

    <T extends TimedTask> List<T> scheduled(Class<T> type) {
        synchronized (monitor) {
            return heap.all(type);
        }
    }

    /** Removes the tasks of a type. The thread ends when there are no others. */
    <T extends TimedTask> List<T> close(Class<T> type) {
        List<T> removed;
        Thread woken;
        synchronized (monitor) {
            closed = true;
            removed = heap.removeAll(type);
            woken = thread;
        }
        LockSupport.unpark(woken);
        return removed;
    }

    /** Under the monitor. */
    private void start() {
        Thread started = new TimerThread(this::run);
        thread = started;
        try {
            started.start();
        } catch (Throwable ex) {
            thread = null; // If it runs nevertheless, it ends, because it is not the current one.
            throw ex;
        }
    }

    private void run() {
        try {
            while (runNext()) {
                // The task is a variable of another frame, so the thread references no ended call while it waits.
            }
        } finally {
            replace();
        }
    }

    /** Waits for a task and runs it; {@code false} if the thread may end. */
    private boolean runNext() {
        TimedTask task = next();
        if (task == null) {
            return false;
        }
        try {
            task.run();
        } catch (Throwable ex) {
            CoreLog.warn("a timed task failed", ex);
        }
        return true;
    }

    /** Waits for a task to be due; {@code null} if the thread may end. */
    private @Nullable TimedTask next() {
        long idleSince = System.nanoTime();
        while (true) {
            long wait;
            synchronized (monitor) {
                if (thread != Thread.currentThread()) {
                    return null;
                }
                wait = untilFirst();
                if (wait <= 0 && !heap.isEmpty()) {
                    TimedTask first = heap.first();
                    heap.remove(Objects.requireNonNull(first));
                    return first;
                }
                if (!heap.isEmpty()) {
                    idleSince = System.nanoTime();
                } else if (closed || System.nanoTime() - idleSince >= idleNanos) {
                    thread = null;
                    return null;
                }
            }
            // Not longer than the idle time, because cancelling a task does not wake this thread.
            LockSupport.parkNanos(this, Math.min(wait, idleNanos));
            // With the interrupt flag set, this thread could not park.
            Thread.interrupted();
        }
    }

    /** The time until the first task is due, or the idle time if there is none. Under the monitor. */
    private long untilFirst() {
        TimedTask first = heap.first();
        return first == null ? idleNanos : first.at - ticker.read();
    }

    /** Starts another thread if this one dies with tasks left. */
    private void replace() {
        synchronized (monitor) {
            if (thread == Thread.currentThread()) {
                thread = null;
                if (!heap.isEmpty()) {
                    start();
                }
            }
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

    private final class Scheduled extends TimedTask implements Handle {

        private final Runnable task;

        private Scheduled(Runnable task) {
            this.task = task;
        }

        @Override
        public void run() {
            task.run();
        }

        @Override
        public void cancel() {
            DaemonTimer.this.cancel(this);
        }
    }
}
