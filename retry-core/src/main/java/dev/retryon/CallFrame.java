/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.lang.ref.WeakReference;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which call the current thread is an attempt of. A first attempt leaves only the mark of its retry here: that costs no
 * allocation, and the context is made from the mark if it is asked for.
 *
 * <p>The mark stays when the call has ended, and counts only while a call runs. So the next call of the same retry on the
 * thread finds it, and saves the storing of a reference, whose barrier for the collector takes 1 to 4 ns.
 *
 * <p>A pooled thread outlives the application, so what stays on the thread consists of classes of the JDK: an object of ours
 * would pin the application's class loader. That is why the frame is an array and not an object with fields.
 */
final class CallFrame {

    private static final ThreadLocal<@Nullable Object[]> FRAMES =
            ThreadLocal.withInitial(() -> new @Nullable Object[] {null, new int[1]});

    /** Index of a mark, the context of a call, or nothing. */
    private static final int CURRENT = 0;

    /** Index of the number of calls that the thread is in, one inside the other. */
    private static final int DEPTH = 1;

    private CallFrame() {}

    /** What a mark refers to. */
    interface Source {

        /** The context of a call that runs its first attempt. */
        RetryContext begin();
    }

    /** The frame of the current thread, which the other methods take. */
    static @Nullable Object[] get() {
        return FRAMES.get();
    }

    /**
     * Begins a part of a call.
     *
     * @param call the mark of a retry whose first attempt follows, the context of a call, or {@code null} for code that is
     *     part of no call
     * @return what was there before, for {@link #leave}
     */
    static @Nullable Object enter(@Nullable Object[] frame, @Nullable Object call) {
        depth(frame)[0]++;
        Object outer = frame[CURRENT];
        if (outer != call) {
            frame[CURRENT] = call;
        }
        return outer;
    }

    /** Ends the part that was begun last. */
    static void leave(@Nullable Object[] frame, @Nullable Object outer) {
        int depth = --depth(frame)[0];
        Object current = frame[CURRENT];
        if (current != outer) {
            frame[CURRENT] = depth == 0 && current instanceof WeakReference ? current : outer;
        }
    }

    @SuppressWarnings("NullAway") // made with the frame
    private static int[] depth(@Nullable Object[] frame) {
        return (int[]) frame[DEPTH];
    }

    /**
     * Identifies the call around the one that was entered last, without keeping it alive.
     *
     * @param outer what {@link #enter} has returned
     * @return the mark of its retry if it has not failed yet, else a reference to its context; {@code null} if there is none
     */
    static @Nullable WeakReference<?> around(@Nullable Object[] frame, @Nullable Object outer) {
        if (depth(frame)[0] <= 1 || outer == null) {
            return null;
        }
        return outer instanceof WeakReference<?> mark ? mark : new WeakReference<>(outer);
    }

    /** Replaces a mark by the context of its call. */
    static void become(@Nullable Object[] frame, RetryContext call) {
        if (frame[CURRENT] != call) {
            frame[CURRENT] = call;
        }
    }

    /** The context of the call that runs, if it was made already. */
    static @Nullable RetryContext known(@Nullable Object[] frame) {
        return frame[CURRENT] instanceof RetryContext call ? call : null;
    }

    /** The context that running code asks for; {@code null} outside any call. Its time counts from now at the latest. */
    static @Nullable RetryContext context() {
        @Nullable Object[] frame = FRAMES.get();
        if (depth(frame)[0] == 0) {
            return null;
        }
        if (frame[CURRENT] instanceof WeakReference<?> mark) {
            // The source is there, because it runs.
            frame[CURRENT] = ((Source) Objects.requireNonNull(mark.get())).begin();
        }
        return (RetryContext) frame[CURRENT];
    }
}
