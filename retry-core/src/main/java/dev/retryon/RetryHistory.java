/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import dev.retryon.backoff.DurationText;
import java.io.Serial;
import java.io.Serializable;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The history of a failed call, suppressed in the call's error and so a part of its stack trace: attempts, reason, delays and
 * the errors before the last. It has no stack trace of its own and is never thrown. It keeps texts, not errors.
 *
 * <p>An exception object has one history at most. Where a program throws the same object again and again, its history is that
 * of the call that ended with it last.
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

    /** The history of one call. */
    static final class Story implements Serializable {

        @Serial
        private static final long serialVersionUID = 1L;

        /** How many of the latest attempts are described. */
        private static final int LATEST = 10;

        private static final ErrorText[] NO_ERRORS = {};

        private static final Duration[] NO_DELAYS = {};

        private final String name;

        private final int attempts;

        private final StopReason reason;

        private final ErrorText[] errors;

        private final Duration[] delays;

        private final boolean longer;

        /** The call that this one was made in. */
        private final transient @Nullable WeakReference<?> around;

        /**
         * Keeps the texts of the latest attempts.
         *
         * @param past the attempts before the last one
         * @param around the call that this one was made in
         */
        Story(
                String name,
                int attempts,
                StopReason reason,
                @Nullable PastAttempt past,
                @Nullable WeakReference<?> around) {
            this.name = name;
            this.attempts = attempts;
            this.reason = reason;
            this.errors = past == null
                    ? NO_ERRORS
                    : PastAttempt.array(past, PastAttempt::text, null, LATEST, ErrorText[]::new);
            this.delays = past == null
                    ? NO_DELAYS
                    : PastAttempt.array(past, PastAttempt::delay, null, LATEST, Duration[]::new);
            this.longer = past != null && past.number() > LATEST;
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
                        .append(Arrays.stream(delays).map(DurationText::print).toList());
            }
            if (errors.length > 0) {
                text.append("; errors before the last: ")
                        .append(longer ? "… " : "")
                        .append(Arrays.toString(errors));
            }
            return text.toString();
        }
    }

    /**
     * Leaves the history of a call in an error, unless the error can't carry it, or has that of a call which was made in this
     * one: the innermost call knows most of the error.
     *
     * @param call the call that has ended
     * @param mark the mark of its retry, which stands for it in calls that were made in its first attempt
     */
    static void attach(Throwable error, Story story, Object call, WeakReference<?> mark) {
        // Under the lock of the error itself, because many calls may end with one error object at the same time.
        synchronized (error) {
            for (Throwable suppressed : error.getSuppressed()) {
                if (suppressed instanceof RetryHistory history) {
                    WeakReference<?> around = history.story.around;
                    if (around == null || (around != mark && around.get() != call)) {
                        history.story = story;
                    }
                    return;
                }
            }
            error.addSuppressed(new RetryHistory(story));
        }
    }

    /**
     * The name of what was called.
     *
     * @return the name given to {@link Retry#of}
     */
    public String name() {
        return story.name;
    }

    /**
     * How many attempts were made.
     *
     * @return at least 1
     */
    public int attempts() {
        return story.attempts;
    }

    /**
     * Why the call was not, or no longer, retried.
     *
     * @return the reason
     */
    public StopReason reason() {
        return story.reason;
    }

    @Override
    public String getMessage() {
        return story.toString();
    }
}
