// SPDX-License-Identifier: Apache-2.0
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

    /** Asks an extension about something. */
    @FunctionalInterface
    interface QuestionAbout<E, A, R extends @Nullable Object, X extends Throwable> {

        R answer(E extension, A about) throws X;
    }

    /**
     * Asks an extension about something. A reference to its method saves the allocation of a lambda at each failure.
     *
     * @param absent the answer if the extension is running, which is that of a call without this extension
     */
    static <E, A, R extends @Nullable Object, X extends Throwable> R ask(
            E extension, R absent, A about, QuestionAbout<E, A, R, X> question) throws X {
        @Nullable Object[] frame = CallFrame.get();
        Object running = CallFrame.running(frame);
        if (isRunning(extension, running)) {
            return absent;
        }
        CallFrame.running(frame, running == null ? extension : new Object[] {extension, running});
        try {
            return question.answer(extension, about);
        } finally {
            CallFrame.running(frame, running);
        }
    }

    /** Asks an extension, with the same answer if it is running. */
    static <R extends @Nullable Object, X extends Throwable> R ask(Object extension, R absent, Question<R, X> question)
            throws X {
        return Extensions.<Object, Question<R, X>, R, X>ask(
                extension, absent, question, (asked, about) -> about.answer());
    }

    /** Asks an extension that may have no answer, such as a running one; {@code null} if it has none. */
    @SuppressWarnings("NullAway") // the answer can be null
    static <R, X extends Throwable> @Nullable R find(Object extension, Question<@Nullable R, X> question) throws X {
        return Extensions.<@Nullable R, X>ask(extension, null, question);
    }

    /** Runs an action of an extension; returns {@code false} if the extension is running, so the action did not run. */
    static <X extends Throwable> boolean run(Object extension, Action<X> action) throws X {
        return Extensions.<Object, Action<X>, Boolean, X>ask(extension, false, action, (asked, about) -> {
            about.run();
            return true;
        });
    }

    /**
     * Sets the interrupt flag if the exception is an interruption. Call this wherever an exception of an extension is
     * caught.
     */
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
