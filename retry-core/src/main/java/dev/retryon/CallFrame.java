// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * The call of which the current thread is running an attempt. A first attempt leaves only its {@link CallSettings} here,
 * which allocates nothing. The context is created when code asks for it.
 *
 * <p>The frame is an array of JDK types, which is empty while no call runs. A pooled thread outlives the application, so an
 * object of a class from the application or this library would keep the class loader alive.
 */
final class CallFrame {

    /**
     * Unused elements around the used ones. They keep objects that other threads read or write off the cache lines of the
     * used elements, which each call writes. Without them, calls on two threads took up to three times as long.
     */
    private static final int PADDING = 16;

    private static final ThreadLocal<@Nullable Object[]> FRAMES =
            ThreadLocal.withInitial(() -> new @Nullable Object[PADDING + 2 + PADDING]);

    /** Index of the settings or the context of a call; {@code null} for code that is part of no call. */
    private static final int CURRENT = PADDING;

    /** Index of the running {@link Extensions}; {@code null} if none runs. */
    private static final int RUNNING = PADDING + 1;

    private CallFrame() {}

    static @Nullable Object[] get() {
        return FRAMES.get();
    }

    /**
     * Begins a part of a call: its settings before the first attempt, a context, or {@code null} for code that is part of no
     * call. Returns the former content, for {@link #leave}.
     */
    static @Nullable Object enter(@Nullable Object[] frame, @Nullable Object call) {
        Object outer = frame[CURRENT];
        frame[CURRENT] = call;
        return outer;
    }

    static void leave(@Nullable Object[] frame, @Nullable Object outer) {
        frame[CURRENT] = outer;
    }

    /** Returns a weak reference to the enclosing call, given the result of {@link #enter}; {@code null} if none exists. */
    static @Nullable WeakReference<?> around(@Nullable Object outer) {
        return outer == null ? null : new WeakReference<>(outer);
    }

    static @Nullable Object running(@Nullable Object[] frame) {
        return frame[RUNNING];
    }

    static void running(@Nullable Object[] frame, @Nullable Object extensions) {
        frame[RUNNING] = extensions;
    }

    static void become(@Nullable Object[] frame, RetryContext call) {
        frame[CURRENT] = call;
    }

    static @Nullable RetryContext known(@Nullable Object[] frame) {
        return frame[CURRENT] instanceof RetryContext call ? call : null;
    }

    /** Returns the context of the running call, created if necessary; {@code null} outside any call. */
    static @Nullable RetryContext context() {
        @Nullable Object[] frame = FRAMES.get();
        if (frame[CURRENT] instanceof CallSettings settings) {
            frame[CURRENT] = RetryCall.begin(settings);
        }
        return (RetryContext) frame[CURRENT];
    }
}
