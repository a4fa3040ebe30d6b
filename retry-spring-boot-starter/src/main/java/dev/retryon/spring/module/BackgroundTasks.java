// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Runs tasks repeatedly while an application runs, each on its own daemon thread. Tasks can be started again
 * after a stop. Thread-safe.
 */
public final class BackgroundTasks {

    private static final Duration CLOSING = Duration.ofSeconds(2);

    private final String threadNames;

    private @Nullable ScheduledThreadPoolExecutor threads;

    /**
     * A task.
     *
     * @param work the code to run; if it throws an exception, it does not run again
     * @param first the delay before the first run
     * @param pause the pause between two runs, more than zero
     */
    public record Task(Runnable work, Duration first, Duration pause) {}

    public BackgroundTasks(String threadNames) {
        this.threadNames = threadNames;
    }

    /** Starts tasks. If tasks are already running, returns {@code false} without starting the given ones. */
    public synchronized boolean start(Task... tasks) {
        if (threads != null) {
            return false;
        }
        CustomizableThreadFactory daemons = new CustomizableThreadFactory(threadNames);
        daemons.setDaemon(true);
        ScheduledThreadPoolExecutor started = new ScheduledThreadPoolExecutor(tasks.length, daemons);
        threads = started;
        for (Task task : tasks) {
            var unused = started.scheduleWithFixedDelay(
                    task.work(), task.first().toNanos(), task.pause().toNanos(), TimeUnit.NANOSECONDS);
        }
        return true;
    }

    /** Returns whether tasks are running; {@code false} as soon as {@link #stop()} is called. */
    public synchronized boolean isRunning() {
        return threads != null;
    }

    /** Stops all tasks. Waits up to two seconds for running tasks. */
    public void stop() {
        ScheduledThreadPoolExecutor stopping;
        synchronized (this) {
            stopping = threads;
            threads = null;
        }
        if (stopping == null) {
            return;
        }
        // Without an interrupt, because some databases close a file if its reader is interrupted.
        stopping.shutdown();
        try {
            var unused = stopping.awaitTermination(CLOSING.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }
}
