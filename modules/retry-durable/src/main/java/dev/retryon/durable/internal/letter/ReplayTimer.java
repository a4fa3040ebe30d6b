// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Schedules resent calls on one thread, which starts with the first of them. Tests replace it. */
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

    /** Runs a task after a delay. Returns {@code false} if this timer is closed, so the task never runs. */
    @SuppressWarnings("FutureReturnValueIgnored") // tasks handle their exceptions
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
