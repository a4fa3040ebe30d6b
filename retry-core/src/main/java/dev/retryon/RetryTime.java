// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Measures time, waits, and runs tasks later. The default methods use the system's time, so an implementation overrides
 * only the methods that differ. Tests use the {@code VirtualTime} of {@code retry-test}. An application can use its own
 * scheduler:
 *
 * <pre>{@code
 * RetryTime time = new RetryTime() {
 *     @Override
 *     public Handle schedule(Runnable task, Duration delay) {
 *         Future<?> future = scheduler.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
 *         return () -> future.cancel(false);
 *     }
 * };
 * }</pre>
 *
 * <p>Implementations must be thread-safe.
 *
 * @see RetryEngineBuilder#time
 * @since 0.1.0
 */
public interface RetryTime {

    /** {@return nanoseconds since an arbitrary time; the value never decreases} */
    default long nanoTime() {
        return System.nanoTime();
    }

    /** {@return the time of day, for events and deadlines} */
    default Instant instant() {
        return Instant.now();
    }

    /**
     * Waits between two attempts of a blocking call.
     *
     * @param delay the delay, more than zero
     * @throws InterruptedException if the thread is interrupted; the call ends with {@link StopReason#INTERRUPTED}
     */
    default void sleep(Duration delay) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(TimeUnit.NANOSECONDS.convert(delay));
    }

    /**
     * Runs a task once, after a delay. Asynchronous calls wait this way. The tasks are short and never throw
     * exceptions.
     *
     * @param task the task
     * @param delay the delay, more than zero
     * @return a handle that cancels the task
     * @throws RuntimeException if the task is rejected. The call then ends with {@link StopReason#REJECTED}
     */
    default Handle schedule(Runnable task, Duration delay) {
        Executor later = CompletableFuture.delayedExecutor(
                TimeUnit.NANOSECONDS.convert(delay), TimeUnit.NANOSECONDS, Runnable::run);
        CompletableFuture<Void> scheduled = CompletableFuture.runAsync(task, later);
        return () -> scheduled.cancel(false);
    }

    /**
     * Schedules the time limit of an attempt. By default, this method calls {@link #schedule}. Override it if delays do
     * not run in real time.
     *
     * @param task ends the attempt
     * @param delay the policy's {@code attemptTimeout}
     * @return a handle that cancels the task
     * @throws RuntimeException if the task is rejected. The attempt then fails
     */
    default Handle limit(Runnable task, Duration delay) {
        return schedule(task, delay);
    }

    /** A scheduled task. */
    @FunctionalInterface
    interface Handle {

        /** Cancels the task and releases it. Does nothing if the task has run or is running. */
        void cancel();
    }
}
