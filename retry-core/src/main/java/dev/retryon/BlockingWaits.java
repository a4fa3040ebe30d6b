// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.backoff.DurationText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The waits of an engine's blocking calls. Each thread parks by itself, so that the end of one wait costs the same
 * however many others there are; {@link #close()} wakes them all. They are kept in lists, because waits that begin
 * together mostly end together: a hash table, in which their places are far apart, took a third more processor time
 * for 50,000 virtual threads.
 */
final class BlockingWaits {

    /** How many lists there are, so that threads seldom meet at one; a power of two. */
    private static final int LISTS = 32;

    private final WaitList[] lists = new WaitList[LISTS];

    private volatile boolean closed;

    BlockingWaits() {
        Arrays.setAll(lists, i -> new WaitList());
    }

    /** Waits, but not while a switch is off. */
    void sleep(Duration delay, @Nullable RetrySwitch retrySwitch) throws InterruptedException {
        long end = System.nanoTime() + delay.toNanos();
        Wait wait = new Wait(Thread.currentThread(), retrySwitch);
        WaitList waits = lists[System.identityHashCode(Thread.currentThread()) & (LISTS - 1)];
        waits.add(wait);
        try {
            // Both are read after the wait was added: who sets one looks for waits afterwards, so one sees the other.
            while (!closed && !wait.isSwitchedOff()) {
                long remaining = end - System.nanoTime();
                if (remaining <= 0) {
                    return;
                }
                if (Thread.interrupted()) {
                    throw new InterruptedException("interrupted while waiting for the next attempt");
                }
                LockSupport.parkNanos(this, remaining);
            }
        } finally {
            waits.remove(wait);
        }
        CoreLog.debug("a wait of " + DurationText.print(delay) + " was ended early", null);
    }

    /** The number of waiting threads. */
    int size() {
        return all().size();
    }

    /** Ends every wait, also those that begin later. */
    void close() {
        closed = true;
        for (Wait wait : all()) {
            LockSupport.unpark(wait.thread);
        }
    }

    /** Ends the waits of a switch that is off. */
    void end(RetrySwitch retrySwitch) {
        for (Wait wait : all()) {
            if (wait.retrySwitch == retrySwitch) {
                LockSupport.unpark(wait.thread);
            }
        }
    }

    private List<Wait> all() {
        List<Wait> all = new ArrayList<>();
        for (WaitList list : lists) {
            list.copyTo(all);
        }
        return all;
    }

    private static final class Wait {

        private final Thread thread;

        private final @Nullable RetrySwitch retrySwitch;

        private @Nullable Wait before;

        private @Nullable Wait after;

        private Wait(Thread thread, @Nullable RetrySwitch retrySwitch) {
            this.thread = thread;
            this.retrySwitch = retrySwitch;
        }

        private boolean isSwitchedOff() {
            return retrySwitch != null && retrySwitch.isOff();
        }
    }

    /**
     * A part of the waits, the latest first. The methods that change the list call no other method, so a stack
     * overflow cannot leave a change half done.
     */
    private static final class WaitList {

        private @Nullable Wait first;

        synchronized void add(Wait wait) {
            wait.after = first;
            if (first != null) {
                first.before = wait;
            }
            first = wait;
        }

        synchronized void remove(Wait wait) {
            if (wait.before != null) {
                wait.before.after = wait.after;
            } else {
                first = wait.after;
            }
            if (wait.after != null) {
                wait.after.before = wait.before;
            }
        }

        synchronized void copyTo(List<Wait> all) {
            for (Wait next = first; next != null; next = next.after) {
                all.add(next);
            }
        }
    }
}
