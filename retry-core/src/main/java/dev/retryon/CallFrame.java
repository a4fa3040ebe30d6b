// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * The call that the current thread is running an attempt of. A first attempt leaves only its {@link Source} here, which
 * allocates nothing. The context is created from the source when code asks for it.
 *
 * <p>A pooled thread outlives the application, so an object that stays on the thread must not be of a class of the
 * application or of this library: it would keep the class loader alive. That is why the frame is an array of JDK types, which
 * is empty while no call runs.
 */
final class CallFrame {

    /**
     * Unused elements before and after the used ones: with them, no other object is on the cache line of a used element. Each
     * call writes to the frame of its thread. If an object that other threads read or write were on the same line, as objects
     * in the young generation often are, calls on two threads took up to three times as long.
     */
    private static final int PADDING = 16;

    private static final ThreadLocal<@Nullable Object[]> FRAMES =
            ThreadLocal.withInitial(() -> new @Nullable Object[PADDING + 2 + PADDING]);

    /** Index of the source or the context of a call; {@code null} for code that is part of no call. */
    private static final int CURRENT = PADDING;

    /** Index of the running {@link Extensions}; {@code null} if none runs. */
    private static final int RUNNING = PADDING + 1;

    private CallFrame() {}

    /** Creates the context of a call that runs its first attempt. */
    interface Source {

        /** Returns a new context, whose time counts from now. */
        RetryContext begin();
    }

    /** Returns the frame of the current thread, which the other methods take. */
    static @Nullable Object[] get() {
        return FRAMES.get();
    }

    /**
     * Begins a part of a call.
     *
     * @param call the source of a call whose first attempt follows, the context of a call, or {@code null} for code that is
     *     part of no call
     * @return the former content, for {@link #leave}
     */
    static @Nullable Object enter(@Nullable Object[] frame, @Nullable Object call) {
        Object outer = frame[CURRENT];
        frame[CURRENT] = call;
        return outer;
    }

    /** Ends the part that was begun last. */
    static void leave(@Nullable Object[] frame, @Nullable Object outer) {
        frame[CURRENT] = outer;
    }

    /**
     * Identifies the call around the one that was entered last, without keeping it alive.
     *
     * @param outer the value that {@link #enter} returned
     * @return a reference to the source or the context of that call; {@code null} if there is none
     */
    static @Nullable WeakReference<?> around(@Nullable Object outer) {
        return outer == null ? null : new WeakReference<>(outer);
    }

    /** Returns the running extensions, for {@link #running(Object[], Object)}. */
    static @Nullable Object running(@Nullable Object[] frame) {
        return frame[RUNNING];
    }

    /** Replaces the running extensions. */
    static void running(@Nullable Object[] frame, @Nullable Object extensions) {
        frame[RUNNING] = extensions;
    }

    /** Replaces a source with the context of its call. */
    static void become(@Nullable Object[] frame, RetryContext call) {
        frame[CURRENT] = call;
    }

    /** Returns the context of the running call if it was created already. */
    static @Nullable RetryContext known(@Nullable Object[] frame) {
        return frame[CURRENT] instanceof RetryContext call ? call : null;
    }

    /** Returns the context of the running call, created if necessary; {@code null} outside any call. */
    static @Nullable RetryContext context() {
        @Nullable Object[] frame = FRAMES.get();
        if (frame[CURRENT] instanceof Source source) {
            frame[CURRENT] = source.begin();
        }
        return (RetryContext) frame[CURRENT];
    }
}
