// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

import dev.retryon.StopReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A stored call with all its data. The record is immutable and consists of plain values.
 * {@link dev.retryon.durable.Redacted} arguments are hidden.
 *
 * @param id the id of the call; see {@link dev.retryon.RetryContext#callId()}
 * @param name the name of the method in events and meters
 * @param method the canonical name of the method; {@code null} if the stored call cannot be read
 * @param bean the name of the bean on which the method was called; {@code null} if the call has no bean
 * @param state the state of the call
 * @param reason why the call most recently died; {@code null} if it is waiting or running
 * @param arguments the arguments as JSON; {@code null} if they were not stored or cannot be read
 * @param errorType the class of the last error; {@code null} if no attempt has failed, or if the last attempt returned
 *     a value that must be retried
 * @param errorCode the code of the last error; {@code null} if it had none, or if the call is waiting or running
 * @param errorMessage the message of the last error; {@code null} if it had none, or if the call is waiting or running
 * @param stackTrace the stack trace of the last error; {@code null} if it had none, or if the call is waiting or running
 * @param lane the lane of the call. A call that has died keeps its lane
 * @param attempts the number of attempts since the call began or was last resent
 * @param failures the latest failed attempts, oldest first
 * @param startedAt when the first attempt of a waiting or running call ran or is planned; {@code null} for other calls, or if
 *     unknown
 * @param due when the next attempt is or was due; {@code null} if no attempt is planned
 * @param runningSince when the current attempt began; {@code null} if this process is not running one
 * @param attemptTimeout the time limit of an attempt; {@code null} if no limit applies, or if this process cannot run
 *     the call
 * @param firstFailedAt the time of the first failure, if the call has died; otherwise {@code null}
 * @param diedAt when the call most recently died, even if it is being resent; {@code null} if it has never died
 * @param traceId the trace id of the last attempt; {@code null} if it had none
 * @param problem why the stored call cannot be read; {@code null} if it can be read
 * @param waitsFor the id of the call for which a blocked call waits, which is the first call with the same order key;
 *     {@code null} if the call is not blocked
 * @param actions the events since the call first died, oldest first
 * @since 0.1.0
 */
public record StoredCall(
        String id,
        String name,
        @Nullable String method,
        @Nullable String bean,
        State state,
        @Nullable StopReason reason,
        @Nullable String arguments,
        @Nullable String errorType,
        @Nullable String errorCode,
        @Nullable String errorMessage,
        @Nullable String stackTrace,
        String lane,
        int attempts,
        List<Failure> failures,
        @Nullable Instant startedAt,
        @Nullable Instant due,
        @Nullable Instant runningSince,
        @Nullable Duration attemptTimeout,
        @Nullable Instant firstFailedAt,
        @Nullable Instant diedAt,
        @Nullable String traceId,
        @Nullable String problem,
        @Nullable String waitsFor,
        List<Action> actions) {

    /** The state of a stored call. */
    public enum State {
        /** The call waits for its next attempt. */
        WAITING,

        /** A worker runs an attempt. */
        RUNNING,

        /** The call waits for an earlier call with the same order key that has not ended yet. */
        BLOCKED,

        /** The call has failed permanently and needs attention. */
        DEAD,

        /** The call died, but has succeeded after it was resent. */
        RESOLVED,

        /** The call is no longer needed, because a user has discarded it or its method deletes failed calls. */
        DISCARDED
    }

    /**
     * A failed attempt.
     *
     * @param attempt the number of the attempt, from 1
     * @param errorType the class of the error; {@code null} if the attempt returned a value that must be retried
     * @param errorMessage the message of the error, or {@code null}
     * @param at when the attempt failed; {@code null} if unknown
     */
    public record Failure(
            int attempt,
            @Nullable String errorType,
            @Nullable String errorMessage,
            @Nullable Instant at) {}

    /**
     * A change to a call that has died.
     *
     * @param at when the change was made
     * @param by the user who made the change; {@code null} if a process made it, or if the user is unknown
     * @param what the kind of the change
     * @param detail a reason or an outcome as text, or {@code null}
     */
    public record Action(
            Instant at,
            @Nullable String by,
            What what,
            @Nullable String detail) {

        /**
         * Creates an action.
         *
         * @param at when the change was made
         * @param by the user who made the change, or {@code null}
         * @param what the kind of the change
         * @param detail a reason or an outcome as text, or {@code null}
         */
        public Action {
            Objects.requireNonNull(at, "at");
            Objects.requireNonNull(what, "what");
        }

        /** The kinds of changes. */
        public enum What {
            /** The call was resent. */
            RESENT,

            /** A resent call has failed permanently, or a user has given up a waiting call. */
            DIED,

            /** A resent call has succeeded. */
            RESOLVED,

            /** The call was discarded. */
            DISCARDED
        }
    }

    /**
     * Returns the name, the state and the error of the call, without messages or arguments, which can contain secrets.
     */
    @Override
    public String toString() {
        return "StoredCall[" + id + " " + name + " " + state + (errorType == null ? "" : ": " + errorType) + "]";
    }
}
