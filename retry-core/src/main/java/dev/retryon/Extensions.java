// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import org.jspecify.annotations.Nullable;

/**
 * Runs application code that decides about calls or observes them. A running extension is not asked about the calls that it
 * runs itself. Otherwise, a listener that sends alerts through a failing retried client would never end.
 */
final class Extensions {

    private Extensions() {}

    @FunctionalInterface
    interface Question<R extends @Nullable Object, X extends Throwable> {

        R answer() throws X;
    }

    @FunctionalInterface
    interface Action<X extends Throwable> {

        void run() throws X;
    }

    /** Asks an extension, or returns {@code absent} if it is running. */
    static <R extends @Nullable Object, X extends Throwable> R ask(Object extension, R absent, Question<R, X> question)
            throws X {
        @Nullable Object[] frame = CallFrame.get();
        Object running = CallFrame.running(frame);
        if (isRunning(extension, running)) {
            return absent;
        }
        CallFrame.running(frame, running == null ? extension : new Object[] {extension, running});
        try {
            return question.answer();
        } finally {
            CallFrame.running(frame, running);
        }
    }

    /** Asks an extension that might have no answer, such as a running one. Returns {@code null} if it has none. */
    @SuppressWarnings("NullAway") // the answer can be null
    static <R, X extends Throwable> @Nullable R find(Object extension, Question<@Nullable R, X> question) throws X {
        return Extensions.<@Nullable R, X>ask(extension, null, question);
    }

    /** Runs an action of an extension. Returns {@code false} if the extension is running, so the action did not run. */
    static <X extends Throwable> boolean run(Object extension, Action<X> action) throws X {
        return Extensions.<Boolean, X>ask(extension, false, () -> {
            action.run();
            return true;
        });
    }

    /** Sets the interrupt flag after an interruption. Call this wherever an exception of an extension is caught. */
    static void keepInterrupt(Throwable failure) {
        if (failure instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
    }

    /** @param running the only running extension, or an array of the innermost one and those around it */
    @SuppressWarnings("ReferenceEquality") // equals() would be code of the extension
    private static boolean isRunning(Object extension, @Nullable Object running) {
        Object next = running;
        while (next instanceof Object[] nested) {
            if (nested[0] == extension) {
                return true;
            }
            next = nested[1];
        }
        return next == extension;
    }
}
