/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Duration;

/**
 * Runs tasks later: the waits of asynchronous calls, and the limits of attempts. Tests put one here that moves a {@link
 * Ticker} on; an application can lend a scheduler it has:
 *
 * <pre>{@code
 * RetryTimer timer = (task, delay) -> {
 *     Future<?> future = scheduler.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
 *     return () -> future.cancel(false);
 * };
 * }</pre>
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RetryTimer {

    /**
     * Runs a task once after a delay. The tasks given are short and never throw.
     *
     * @param task the task
     * @param delay how long from now, more than zero
     * @return what takes the task back
     * @throws RuntimeException if the task is refused; the call that wanted to wait then ends in failure, an attempt that
     *     was to be limited fails
     */
    Handle schedule(Runnable task, Duration delay);

    /**
     * Limits an attempt. The same as {@link #schedule} unless waits are not made in real time.
     *
     * @param task ends the attempt
     * @param delay the policy's {@code attemptTimeout}
     * @return what takes the task back
     * @throws RuntimeException if the task is refused; the attempt fails
     */
    default Handle limit(Runnable task, Duration delay) {
        return schedule(task, delay);
    }

    /** A task that was scheduled. */
    @FunctionalInterface
    interface Handle {

        /** Takes the task back, so that nothing keeps hold of it. Does nothing if it has run or is running. */
        void cancel();
    }
}
