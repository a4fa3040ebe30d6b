// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A call that has failed permanently and will be kept in a {@link DeadLetterQueue}.
 *
 * @param name the name of the retry, as given to {@link Retry#of}
 * @param subject the method, target and arguments of the call
 * @param state the id of the call and its attempts, including the last one
 * @param error the exception of the last attempt, unwrapped; {@code null} if the attempt returned a value to retry
 * @param errorCode the code of the error, from the error itself or a {@link RetryHintResolver}; {@code null} if the
 *     call has no error
 * @param reason why the call was not retried again
 * @since 0.1.0
 */
public record FailedCall(
        String name,
        CallSubject subject,
        CallState state,
        @Nullable Throwable error,
        @Nullable String errorCode,
        StopReason reason) {

    /**
     * Describes a failed call.
     *
     * @param name the name of the retry
     * @param subject the method, target and arguments
     * @param state the id and the attempts
     * @param error the exception of the last attempt, or {@code null}
     * @param errorCode the code of the error, or {@code null}
     * @param reason why the call was not retried again
     * @throws NullPointerException if the name, the subject, the state or the reason is missing
     */
    public FailedCall {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(subject, "subject");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(reason, "reason");
    }

    /** Returns the name, the reason and the class of the error. Does not call a method of the subject or the error. */
    @Override
    public String toString() {
        String last = error == null ? "a returned value" : error.getClass().getName();
        return name + ": " + reason + " after attempt " + state.attempt() + ": " + last;
    }
}
