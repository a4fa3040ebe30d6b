// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.io.Serial;
import java.io.Serializable;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Arrays;
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

    private RetryHistory(Story story) {
        super(null, null, false, false);
        this.story = story;
    }

    static final class Story implements Serializable {

        @Serial
        private static final long serialVersionUID = 1L;

        private static final int LATEST = 10;

        private final String name;

        private final int attempts;

        private final StopReason reason;

        private final ErrorText[] errors;

        private final Duration[] delays;

        private final boolean longer;

        private final transient @Nullable WeakReference<?> around;

        Story(String name, int attempts, StopReason reason, PastAttempts past, @Nullable WeakReference<?> around) {
            this.name = name;
            this.attempts = attempts;
            this.reason = reason;
            this.errors = past.latest(LATEST, PastAttempts.Past::text, null).toArray(new ErrorText[0]);
            this.delays = past.latest(LATEST, PastAttempts.Past::delay, null).toArray(new Duration[0]);
            this.longer = past.newest() > LATEST;
            this.around = around;
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder()
                    .append(name)
                    .append(": ")
                    .append(attempts)
                    .append(attempts == 1 ? " attempt, " : " attempts, ")
                    .append(reason);
            // An attempt that returned a value to retry leaves a delay and no error, so the lists are apart.
            if (delays.length > 0) {
                text.append("; waited ")
                        .append(longer ? "… " : "")
                        .append(Arrays.stream(delays).map(DurationMath::print).toList());
            }
            if (errors.length > 0) {
                text.append("; earlier errors: ").append(longer ? "… " : "").append(Arrays.toString(errors));
            }
            return text.toString();
        }
    }

    /**
     * Adds the history of a call to an error. If the error already has the history of a nested call, that history stays,
     * because the innermost call has the most information about the error.
     */
    static void attach(Throwable error, Story story, Object call, Object settings) {
        // Locks the error, because many calls may end with the same error object at the same time.
        synchronized (error) {
            for (Throwable suppressed : error.getSuppressed()) {
                if (suppressed instanceof RetryHistory history) {
                    WeakReference<?> around = history.story.around;
                    if (around == null || (around.get() != settings && around.get() != call)) {
                        history.story = story;
                    }
                    return;
                }
            }
            error.addSuppressed(new RetryHistory(story));
        }
    }

    /** {@return the name of the retry, as given to {@link Retry#of}} */
    public String name() {
        return story.name;
    }

    /** {@return the number of attempts, at least 1} */
    public int attempts() {
        return story.attempts;
    }

    /** {@return why the call was not retried, or not retried again} */
    public StopReason reason() {
        return story.reason;
    }

    @Override
    public String getMessage() {
        return story.toString();
    }
}
