// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The time limit of one attempt of a blocking call: when it is over, the timer interrupts the thread.
 *
 * <p>An interrupt must not reach code after the attempt. So timer and thread agree on a state first: the one that
 * changes it from {@code RUNNING} has won. If the thread wins there is no interrupt. If the timer wins, the thread
 * waits at the end of the attempt until the interrupt was delivered, and clears the flag.
 */
final class AttemptLimit implements Runnable {

    private static final int RUNNING = 0;

    private static final int ENDED = 1;

    private static final int INTERRUPTING = 2;

    private static final int INTERRUPTED = 3;

    /** The limit of the innermost attempt that the thread is running. */
    private static final ThreadLocal<@Nullable AttemptLimit> INNERMOST = new ThreadLocal<>();

    private final Thread thread = Thread.currentThread();

    private final AtomicInteger state = new AtomicInteger(RUNNING);

    /** The limit of an attempt that this one is part of. */
    private final @Nullable AttemptLimit outer;

    /** Whether the thread had been interrupted for another reason when the time was over. */
    private boolean foreign;

    private AttemptLimit(@Nullable AttemptLimit outer) {
        this.outer = outer;
    }

    /** Runs an attempt, limited if the policy has an {@code attemptTimeout}. */
    static <S, T extends @Nullable Object> T run(
            CallSettings retry, RetryOperation<S, T> operation, S subject, int attempt) throws Throwable {
        Duration time = retry.policy().attemptTimeout();
        return time == null ? operation.run(subject, attempt) : run(retry, time, operation, subject, attempt);
    }

    private static <S, T extends @Nullable Object> T run(
            CallSettings retry, Duration time, RetryOperation<S, T> operation, S subject, int attempt)
            throws Throwable {
        AttemptLimit limit = new AttemptLimit(INNERMOST.get());
        RetryTime.Handle handle = limit.start(retry, time);
        INNERMOST.set(limit);
        T value;
        try {
            value = operation.run(subject, attempt);
        } catch (Throwable ex) {
            throw limit.ends(retry, handle) ? ex : limit.failure(ex, retry, attempt, time);
        }
        if (!limit.ends(retry, handle)) {
            throw limit.failure(null, retry, attempt, time);
        }
        return value;
    }

    private RetryTime.Handle start(CallSettings retry, Duration time) {
        try {
            return retry.engine().time().limit(this, time);
        } catch (Throwable ex) {
            // A timer that can't start a thread may still keep the task, or may have run it.
            if (!state.compareAndSet(RUNNING, ENDED)) {
                awaitInterrupt();
                takeInterruptBack();
            }
            throw ex;
        }
    }

    /** Interrupts the thread, on the thread of the timer. */
    @Override
    public void run() {
        if (state.compareAndSet(RUNNING, INTERRUPTING)) {
            try {
                foreign = thread.isInterrupted();
                thread.interrupt();
            } finally {
                // A Thread may define these methods otherwise: if they fail, the caller must still not wait.
                state.set(INTERRUPTED);
            }
        }
    }

    /** Ends the attempt on its own thread. Returns whether it was in time. */
    private boolean ends(CallSettings retry, RetryTime.Handle handle) {
        if (outer == null) {
            INNERMOST.remove();
        } else {
            INNERMOST.set(outer);
        }
        if (state.compareAndSet(RUNNING, ENDED)) {
            retry.engine().cancel(handle);
            return true;
        }
        awaitInterrupt();
        return false;
    }

    /** Returns the error of the attempt. */
    private Throwable failure(@Nullable Throwable thrown, CallSettings retry, int attempt, Duration time) {
        boolean within = takeInterruptBack();
        if (thrown instanceof Error || (thrown instanceof InterruptedException && foreign && !within)) {
            return thrown;
        }
        AttemptTimeoutException timeout = new AttemptTimeoutException(retry.name(), attempt, time);
        if (thrown != null) {
            timeout.addSuppressed(thrown);
        }
        return timeout;
    }

    /**
     * Clears the interrupt flag, unless the interrupt has another reason. Returns whether the time of an attempt around
     * this one is over too.
     */
    private boolean takeInterruptBack() {
        boolean flag = Thread.interrupted();
        boolean within = isWithinOneThatIsOver();
        if ((flag && foreign) || within) {
            thread.interrupt();
        }
        return within;
    }

    /**
     * Whether the time of an attempt around this one is over too: clearing the flag must not swallow its interrupt,
     * and it must not take ours for one that has another reason.
     */
    private boolean isWithinOneThatIsOver() {
        boolean over = false;
        for (AttemptLimit next = outer; next != null; next = next.outer) {
            if (next.state.get() != RUNNING) {
                next.awaitInterrupt();
                next.foreign &= foreign;
                over = true;
            }
        }
        return over;
    }

    /** Waits until the timer, which has won, has interrupted this thread. That takes only a moment. */
    @SuppressWarnings("ThreadPriorityCheck") // correct without the yield, which only lets the timer go first
    private void awaitInterrupt() {
        while (state.get() != INTERRUPTED) {
            Thread.yield();
        }
    }
}
