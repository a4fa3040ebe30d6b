/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A call that has failed for good and is to be kept.
 *
 * @since 0.1.0
 */
public final class FailedCall {

    private final String name;

    private final CallSubject subject;

    private final CallState state;

    private final @Nullable Throwable error;

    private final @Nullable String errorCode;

    private final StopReason reason;

    FailedCall(
            String name,
            CallSubject subject,
            CallState state,
            @Nullable Throwable error,
            @Nullable String errorCode,
            StopReason reason) {
        this.name = name;
        this.subject = subject;
        this.state = Objects.requireNonNull(state);
        this.error = error;
        this.errorCode = errorCode;
        this.reason = reason;
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
     * What the call is about: the method, its target and its arguments.
     *
     * @return the subject
     */
    public CallSubject subject() {
        return subject;
    }

    /**
     * What has happened: call id, attempts, errors and when.
     *
     * @return the state after the last attempt
     */
    public CallState state() {
        return state;
    }

    /**
     * What the last attempt threw, unwrapped.
     *
     * @return the error; {@code null} if the attempt returned a value that was to be retried
     */
    public @Nullable Throwable error() {
        return error;
    }

    /**
     * The code of the error, as an {@link ErrorCodeResolver} or the error itself gives it.
     *
     * @return the code, or {@code null} if there is no error
     */
    public @Nullable String errorCode() {
        return errorCode;
    }

    /**
     * Why the call was not, or no longer, retried.
     *
     * @return the reason
     */
    public StopReason reason() {
        return reason;
    }

    /** Names the call; no code of the user's runs here. */
    @Override
    public String toString() {
        return name + ": " + reason + " after attempt " + state.attempt() + ": " + RetryEvent.errorClass(error);
    }
}
