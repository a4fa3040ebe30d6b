// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The thing that an asynchronous call waits for: the stage of an attempt, an {@link AsyncWait}, a {@link QueuedStep},
 * or nothing while a thread makes a step. The one that takes it out (the stage, the timer, the executor, shutdown, a
 * caller that gives up) makes the next step, so there is only ever one.
 */
abstract class AsyncState {

    /** The call has ended, and the thread that ended it publishes the end. */
    static final Object ENDED = new Object();

    /** The caller has given up during a step: the thread that makes the step has to end the call. */
    static final Object GIVEN_UP = new Object();

    private static final VarHandle HELD;

    static {
        try {
            HELD = MethodHandles.lookup().findVarHandle(AsyncState.class, "held", Object.class);
        } catch (ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    @SuppressWarnings("UnusedVariable") // by the handle
    private volatile @Nullable Object held;

    /** Ends a step: the call waits for this from now on; {@code false} if it was given up meanwhile. */
    final boolean hold(Object next) {
        return HELD.compareAndSet(this, null, next);
    }

    /** The call waits for something else instead; {@code false} if another step was first. */
    final boolean replace(Object last, Object next) {
        return HELD.compareAndSet(this, last, next);
    }

    /** Begins a step: the call no longer waits for this; {@code false} if another step was first. */
    final boolean release(Object last) {
        return HELD.compareAndSet(this, last, null);
    }

    /** The thing that the call waits for. */
    final @Nullable Object held() {
        return held;
    }

    final boolean isGivenUp() {
        return held == GIVEN_UP;
    }

    /** Ends the call; returns what was there before, and {@link #ENDED} if it had ended. */
    final @Nullable Object markEnded() {
        return HELD.getAndSet(this, ENDED);
    }

    /**
     * The caller gives up. During a step that is only recorded, so that what the step publishes comes before the end
     * of the call.
     *
     * @return what the call waited for, which ends with it; {@code null} if the caller has nothing to do
     */
    final @Nullable Object markGivenUp() {
        while (true) {
            Object last = held;
            if (last == ENDED || last == GIVEN_UP) {
                return null;
            }
            if (HELD.compareAndSet(this, last, last == null ? GIVEN_UP : ENDED)) {
                return last;
            }
        }
    }
}
