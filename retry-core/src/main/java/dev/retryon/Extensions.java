/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * Runs extensions, the code of the application that decides about calls or observes them. While an extension runs, it
 * is not asked about the calls that it runs itself. Otherwise a listener that alerts through a retried client would
 * never end while that client fails.
 */
final class Extensions {

    private Extensions() {}

    /** A question to an extension. */
    @FunctionalInterface
    interface Question<R extends @Nullable Object, X extends Throwable> {

        R answer() throws X;
    }

    /** An action of an extension. */
    @FunctionalInterface
    interface Action<X extends Throwable> {

        void run() throws X;
    }

    /**
     * Asks an extension.
     *
     * @param absent the answer if the extension is running, which is that of a call without this extension
     */
    static <R extends @Nullable Object, X extends Throwable> R ask(Object extension, R absent, Question<R, X> question)
            throws X {
        @Nullable Object[] frame = CallFrame.get();
        @Nullable Object[] running = CallFrame.running(frame);
        if (isRunning(extension, running)) {
            return absent;
        }
        CallFrame.running(frame, new Object[] {extension, running});
        try {
            return question.answer();
        } finally {
            CallFrame.running(frame, running);
        }
    }

    /** Asks an extension that may have no answer, such as a running one; {@code null} if it has none. */
    @SuppressWarnings("NullAway") // the answer can be null
    static <R, X extends Throwable> @Nullable R find(Object extension, Question<@Nullable R, X> question) throws X {
        return Extensions.<@Nullable R, X>ask(extension, null, question);
    }

    /** Runs an action of an extension; returns {@code false} if the extension is running, so the action did not run. */
    static <X extends Throwable> boolean run(Object extension, Action<X> action) throws X {
        return Extensions.<Boolean, X>ask(extension, false, () -> {
            action.run();
            return true;
        });
    }

    @SuppressWarnings("ReferenceEquality") // equals() would be code of the extension
    private static boolean isRunning(Object extension, @Nullable Object @Nullable [] running) {
        for (@Nullable Object[] next = running; next != null; next = (@Nullable Object[]) next[1]) {
            if (next[0] == extension) {
                return true;
            }
        }
        return false;
    }
}
