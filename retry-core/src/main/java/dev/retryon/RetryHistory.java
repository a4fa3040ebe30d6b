/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serial;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells the story of a failed call in the stack trace of its error, in which it is suppressed. Has no stack trace of its
 * own and is never thrown.
 */
public final class RetryHistory extends Throwable {

    @Serial
    private static final long serialVersionUID = 1L;

    /** So many of the latest attempts are told in the message. */
    private static final int TOLD = 10;

    private final String name;

    private final int attempts;

    private final StopReason reason;

    private final transient @Nullable PastAttempt past;

    private @Nullable String message;

    RetryHistory(RetryCall call, StopReason reason) {
        super(null, null, false, false);
        this.name = call.name();
        this.attempts = call.attempt();
        this.reason = reason;
        this.past = call.past();
    }

    /** Leaves a history in an error, unless there is one already or the error can't carry it. */
    static void attach(Throwable error, RetryCall call, StopReason reason) {
        // Under the lock of the error itself, because many calls may end with one error object at the same time.
        synchronized (error) {
            for (Throwable suppressed : error.getSuppressed()) {
                if (suppressed instanceof RetryHistory) {
                    return;
                }
            }
            error.addSuppressed(new RetryHistory(call, reason));
        }
    }

    /**
     * The name of what was called.
     *
     * @return the name given to {@link Retry#of}
     */
    public String name() {
        return name;
    }

    /**
     * How many attempts were made.
     *
     * @return at least 1
     */
    public int attempts() {
        return attempts;
    }

    /**
     * Why the call was not, or no longer, retried.
     *
     * @return the reason
     */
    public StopReason reason() {
        return reason;
    }

    @Override
    public synchronized String getMessage() {
        if (message == null) {
            message = tell();
        }
        return message;
    }

    private String tell() {
        StringBuilder story = new StringBuilder()
                .append(name)
                .append(": ")
                .append(attempts)
                .append(attempts == 1 ? " attempt, " : " attempts, ")
                .append(reason);
        List<Duration> delays = PastAttempt.list(past, PastAttempt::delay, null);
        List<Throwable> errors = PastAttempt.list(past, PastAttempt::error, null);
        // Attempts that returned a value to retry leave no error, so errors and delays are told side by side.
        if (!delays.isEmpty()) {
            story.append("; waited ").append(latest(delays));
        }
        if (!errors.isEmpty()) {
            story.append("; errors before the last: ")
                    .append(latest(errors.stream().map(RetryHistory::text).toList()));
        }
        return story.toString();
    }

    /** One error that can't tell itself must not keep the others from being told. */
    private static String text(Throwable error) {
        try {
            return error.toString();
        } catch (RuntimeException ex) {
            return error.getClass().getName();
        }
    }

    private static String latest(List<?> items) {
        int from = Math.max(0, items.size() - TOLD);
        return (from > 0 ? "… " : "") + items.subList(from, items.size());
    }

    @Serial
    private void writeObject(ObjectOutputStream out) throws IOException {
        message = getMessage();
        out.defaultWriteObject();
    }
}
