// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.io.Serial;
import java.io.Serializable;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The history of a failed call: its attempts, reason, delays and earlier errors. The history is suppressed in the error
 * of the call, so it is part of the printed stack trace. It contains texts instead of errors, has no stack trace and is
 * never thrown.
 *
 * <p>An exception object has at most one history. If a program throws the same object repeatedly, the object has the
 * history of the last call that ended with it.
 *
 * @since 0.1.0
 */
public final class RetryHistory extends Throwable {

    @Serial
    private static final long serialVersionUID = 1L;

    private volatile Story story;

    /** The call that encloses the story's call. Guarded by the lock of the error. */
    private transient @Nullable WeakReference<?> around;

    private RetryHistory(Story story, @Nullable WeakReference<?> around) {
        super(null, null, false, false);
        this.story = story;
        this.around = around;
    }

    /**
     * A call that has ended with the error.
     *
     * @param delays the latest delays
     * @param errors the latest errors, without the last one
     * @param longer whether the call had more attempts than are listed
     */
    record Story(
            String name, int attempts, StopReason reason, List<Duration> delays, List<ErrorText> errors, boolean longer)
            implements Serializable {

        @Override
        public String toString() {
            String text = name + ": " + attempts + (attempts == 1 ? " attempt, " : " attempts, ") + reason;
            String more = longer ? "… " : "";
            // An attempt that returned a value to retry leaves a delay and no error, so the lists are apart.
            if (!delays.isEmpty()) {
                text += "; waited " + more
                        + delays.stream().map(DurationMath::print).toList();
            }
            return errors.isEmpty() ? text : text + "; earlier errors: " + more + errors;
        }
    }

    /**
     * Adds the history of a call to an error. If the error already has the history of a nested call, that history stays,
     * because the innermost call has the most information about the error.
     *
     * @param around the call that encloses the given one
     */
    static void attach(Throwable error, Story story, @Nullable WeakReference<?> around, Object call, Object settings) {
        // Locks the error, because many calls may end with the same error object at the same time.
        synchronized (error) {
            for (Throwable suppressed : error.getSuppressed()) {
                if (suppressed instanceof RetryHistory history) {
                    Object outer = history.around == null ? null : history.around.get();
                    if (outer != settings && outer != call) {
                        history.story = story;
                        history.around = around;
                    }
                    return;
                }
            }
            error.addSuppressed(new RetryHistory(story, around));
        }
    }

    /** {@return the name of the retry, as given to {@link Retry#of}} */
    public String name() {
        return story.name();
    }

    /** {@return the number of attempts, at least 1} */
    public int attempts() {
        return story.attempts();
    }

    /** {@return why the call was not retried, or not retried again} */
    public StopReason reason() {
        return story.reason();
    }

    @Override
    public String getMessage() {
        return story.toString();
    }
}
