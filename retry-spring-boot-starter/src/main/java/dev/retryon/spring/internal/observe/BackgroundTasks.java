/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.observe;

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
     * @param work what is done; an exception that it throws ends the task
     * @param first the time before it is done for the first time
     * @param pause the time from its end until it is done again, more than zero
     */
    public record Task(Runnable work, Duration first, Duration pause) {}

    /**
     * Starts nothing yet.
     *
     * @param threadNames what the names of the threads begin with
     */
    public BackgroundTasks(String threadNames) {
        this.threadNames = threadNames;
    }

    /**
     * Starts tasks, unless some run already.
     *
     * @param tasks what to do
     * @return {@code false} if tasks run already; these are not started then
     */
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
