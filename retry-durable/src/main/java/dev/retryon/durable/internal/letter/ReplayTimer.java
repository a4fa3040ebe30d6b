/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.letter;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The times of calls that are sent again: one thread, which is there from the first such call on. Tests have another
 * one.
 */
class ReplayTimer implements AutoCloseable {

    static final Duration BEAT = Duration.ofSeconds(10);

    private final ScheduledThreadPoolExecutor thread =
            new ScheduledThreadPoolExecutor(1, ReplayThreads.daemons("retryon-dead-letters-timer-"));

    private boolean beating;

    ReplayTimer() {}

    long nanos() {
        return System.nanoTime();
    }

    /** Runs a task every {@link #BEAT}. A second call has no effect. */
    synchronized void beat(Runnable task) {
        if (!beating) {
            beating = true;
            schedule(task);
        }
    }

    private void schedule(Runnable task) {
        after(BEAT, () -> {
            task.run();
            schedule(task);
        });
    }

    /** Does something after a delay. Returns {@code false} if this is closed, so that it is never done. */
    @SuppressWarnings("FutureReturnValueIgnored") // tasks deal with what they throw
    boolean after(Duration delay, Runnable task) {
        try {
            thread.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (RejectedExecutionException ex) {
            return false;
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
