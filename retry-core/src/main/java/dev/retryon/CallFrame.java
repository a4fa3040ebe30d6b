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
 * allocation, and the context is made from the mark if somebody asks.
 *
 * <p>The mark stays when the call has ended, and counts only while a call runs. So the next call of the same retry on the
 * thread finds it, and saves the storing of a reference, whose barrier for the collector takes 1 to 4 ns.
 *
 * <p>The thread holds its frame only weakly, because a pooled thread outlives the application: a strong reference would pin
 * this class, and with it the application's class loader. While a call runs, the code that runs it holds the frame.
 */
final class CallFrame {

    private static final ThreadLocal<WeakReference<CallFrame>> FRAMES = new ThreadLocal<>();

    /** How many calls the thread is in, one inside the other. */
    private int depth;

    /** A mark, the context of a call, or nothing. */
    private @Nullable Object current;

    private CallFrame() {}

    /** What a mark refers to. */
    interface Source {

        /** The context of a call that runs its first attempt. */
        RetryContext begin();
    }

    /** The frame of the current thread. The caller holds it as long as it has entered something. */
    static CallFrame get() {
        WeakReference<CallFrame> reference = FRAMES.get();
        CallFrame frame = reference == null ? null : reference.get();
        return frame != null ? frame : create();
    }

    private static CallFrame create() {
        CallFrame frame = new CallFrame();
        FRAMES.set(new WeakReference<>(frame));
        return frame;
    }

    /**
     * Begins a part of a call.
     *
     * @param call the mark of a retry whose first attempt follows, the context of a call, or {@code null} for code that is
     *     part of no call
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

    /**
     * Identifies the call around the one that was entered last, without keeping it alive.
     *
     * @param outer what {@link #enter} has returned
     * @return the mark of its retry if it has not failed yet, else a reference to its context; {@code null} if there is none
     */
    @Nullable WeakReference<?> around(@Nullable Object outer) {
        if (depth <= 1 || outer == null) {
            return null;
        }
        return outer instanceof WeakReference<?> mark ? mark : new WeakReference<>(outer);
    }

    /** Replaces a mark by the context of its call. */
    void become(RetryContext call) {
        if (current != call) {
            current = call;
        }
    }

    /** The context of the call that runs, if it was made already. */
    @Nullable RetryContext known() {
        return current instanceof RetryContext call ? call : null;
    }

    /** The context that running code asks for; {@code null} outside any call. Its time counts from now at the latest. */
    @Nullable RetryContext context() {
        if (depth == 0) {
            return null;
        }
        if (current instanceof WeakReference<?> mark) {
            // The source is there, because it runs.
            current = ((Source) Objects.requireNonNull(mark.get())).begin();
        }
        return (RetryContext) current;
    }
}
