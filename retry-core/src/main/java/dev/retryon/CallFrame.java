/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.lang.ref.WeakReference;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which call the thread is an attempt of. A first attempt only leaves its retry's mark here: that
 * costs no allocation, and the context is made of it if somebody asks.
 *
 * <p>The mark stays when the call has ended, and counts only while a call runs. So the next call of the same retry on the
 * thread finds it, and saves the storing of a reference, whose barrier for the collector takes 1 to 4 ns.
 */
final class CallFrame {

    private static final ThreadLocal<CallFrame> FRAMES = ThreadLocal.withInitial(CallFrame::new);

    /** How many calls the thread is in, one inside the other. */
    private int depth;

    /** The mark of a {@link Retry}, a {@link RetryCall} or nothing. */
    private @Nullable Object current;

    /** The time limit of the attempt that runs on this thread, if it has one. */
    @Nullable AttemptLimit limit;

    /** The asynchronous call whose attempts this thread is making. */
    @Nullable AsyncRetry<?, ?> driven;

    /** Whether that call wants another attempt at once. */
    boolean again;

    static CallFrame get() {
        return FRAMES.get();
    }

    /**
     * Begins a part of a call.
     *
     * @param call the mark of a retry whose first attempt follows, a call, or {@code null} for what is part of none
     * @return what was there before, for {@link #leave}
     */
    @Nullable Object enter(@Nullable Object call) {
        depth++;
        Object outer = current;
        if (outer != call) {
            current = call;
        }
        return outer;
    }

    /** Ends the part that was begun last. */
    void leave(@Nullable Object outer) {
        depth--;
        if (current != outer) {
            current = depth == 0 && current instanceof WeakReference ? current : outer;
        }
    }

    /** The call itself instead of the mark. */
    void become(RetryCall call) {
        if (current != call) {
            current = call;
        }
    }

    /** The call that runs, if it is more than a mark. */
    @Nullable RetryCall known() {
        return current instanceof RetryCall call ? call : null;
    }

    /** The context that running code asks for: time counts from then on at the latest. */
    @Nullable RetryCall context() {
        if (depth == 0) {
            return null;
        }
        if (current instanceof WeakReference<?> mark) {
            current = RetryCall.begin(retry(mark));
        }
        return (RetryCall) current;
    }

    /** The state of a call whose first attempt has failed. */
    RetryCall call() {
        if (current instanceof WeakReference<?> mark) {
            current = new RetryCall(retry(mark));
        }
        return (RetryCall) Objects.requireNonNull(current);
    }

    /** The retry of a mark; it is there, because it runs. */
    private static Retry retry(WeakReference<?> mark) {
        return (Retry) Objects.requireNonNull(mark.get());
    }
}
