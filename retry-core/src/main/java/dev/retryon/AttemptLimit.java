// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The time limit of one attempt of a blocking call. When the time is over, the timer interrupts the thread.
 *
 * <p>An interrupt must not reach code after the attempt. The timer and the attempt's thread therefore both try to change
 * the state from {@code RUNNING}, and the first of them wins. If the attempt's thread wins, no interrupt follows. If the
 * timer wins, the attempt's thread waits until the interrupt is delivered, and then clears the flag.
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

    /** The limit of the enclosing attempt; {@code null} if no enclosing attempt is limited. */
    private final @Nullable AttemptLimit outer;

    /** Whether the thread had been interrupted for another reason when the time was over. */
    private boolean foreign;

    private AttemptLimit(@Nullable AttemptLimit outer) {
        this.outer = outer;
    }

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
            // A timer that cannot start a thread might keep the task, or might have run it.
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
                // A subclass of Thread can override these methods. Even if they fail, the caller must not wait.
                state.set(INTERRUPTED);
            }
        }
    }

    /** Ends the attempt on its own thread. Returns whether the attempt met its time limit. */
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

    /** Clears the interrupt flag unless it has another reason. Returns whether an enclosing attempt's time is also over. */
    private boolean takeInterruptBack() {
        boolean flag = Thread.interrupted();
        boolean within = isWithinOneThatIsOver();
        if ((flag && foreign) || within) {
            thread.interrupt();
        }
        return within;
    }

    /**
     * Returns whether an enclosing attempt's time is also over. The enclosing attempt must not lose its own interrupt,
     * and must not mistake this attempt's interrupt for a foreign one.
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

    /** Waits until the winning timer has interrupted this thread, which takes only a moment. */
    @SuppressWarnings("ThreadPriorityCheck") // correct without the yield, which only lets the timer go first
    private void awaitInterrupt() {
        while (state.get() != INTERRUPTED) {
            Thread.yield();
        }
    }
}
