// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Repeats tasks while an application runs, each on its own daemon thread. Can be started again after a stop.
 * Thread-safe.
 */
public final class BackgroundTasks {

    /** The time that shutdown waits for running tasks. */
    private static final Duration CLOSING = Duration.ofSeconds(2);

    private final String threadNames;

    private @Nullable ScheduledThreadPoolExecutor threads;

    /**
     * A task.
     *
     * @param work what to run; if it throws an exception, it does not run again
     * @param first the time before the first run
     * @param pause the time between two runs, more than zero
     */
    public record Task(Runnable work, Duration first, Duration pause) {}

    public BackgroundTasks(String threadNames) {
        this.threadNames = threadNames;
    }

    /** Returns {@code false} if tasks run already; the given tasks are not started then. */
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

    /** Whether tasks were started and not stopped; {@code false} from the beginning of {@link #stop()} on. */
    public synchronized boolean isRunning() {
        return threads != null;
    }

    /** Ends the tasks. Waits up to two seconds for one that is being done. */
    public void stop() {
        ScheduledThreadPoolExecutor stopping;
        synchronized (this) {
            stopping = threads;
            threads = null;
        }
        if (stopping == null) {
            return;
        }
        // Without an interrupt: some databases close a file whose reader is interrupted.
        stopping.shutdown();
        try {
            var unused = stopping.awaitTermination(CLOSING.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }
}
