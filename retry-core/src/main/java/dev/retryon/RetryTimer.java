// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;

/**
 * Runs tasks after a delay, for the delays of asynchronous calls and the time limits of attempts. Tests can use one
 * that advances a {@link Ticker}. An application can use its own scheduler:
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
     * Runs a task once after a delay. The engine's tasks are short and never throw.
     *
     * @param task the task
     * @param delay the delay, more than zero
     * @return cancels the task
     * @throws RuntimeException if the task is refused. The call then ends with {@link StopReason#REJECTED}, or the
     *     attempt fails
     */
    Handle schedule(Runnable task, Duration delay);

    /**
     * Schedules the time limit of an attempt. The default calls {@link #schedule}. Override it if delays do not run
     * in real time.
     *
     * @param task ends the attempt
     * @param delay the policy's {@code attemptTimeout}
     * @return cancels the task
     * @throws RuntimeException if the task is refused; the attempt fails
     */
    default Handle limit(Runnable task, Duration delay) {
        return schedule(task, delay);
    }

    /** A scheduled task. */
    @FunctionalInterface
    interface Handle {

        /** Cancels the task and releases it. Does nothing if it has run or is running. */
        void cancel();
    }
}
