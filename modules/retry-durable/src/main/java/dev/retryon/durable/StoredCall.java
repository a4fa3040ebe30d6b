// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

import dev.retryon.StopReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A stored call with all its data. Immutable, and consists of plain values. {@link dev.retryon.durable.Redacted} arguments are
 * hidden.
 *
 * @param id the id of the call, see {@link dev.retryon.RetryContext#callId()}
 * @param name the name of the method, as in events and meters
 * @param method the canonical name of the method; {@code null} if the stored call cannot be read
 * @param bean the name of the bean on which the method was called; {@code null} if there is none
 * @param state the state
 * @param reason why the call died for the last time; {@code null} if it waits or runs
 * @param arguments the arguments as JSON; {@code null} if they were not stored, or if they cannot be read
 * @param errorType the class of the last error; {@code null} if no attempt has failed, or if the last one returned a value that
 *     must be retried
 * @param errorCode the code of the last error; {@code null} if there was none, or if the call waits or runs
 * @param errorMessage its message; {@code null} if there was none, or if the call waits or runs
 * @param stackTrace its stack trace; {@code null} if there was none, or if the call waits or runs
 * @param lane the lane of the call. A call that has died keeps its lane
 * @param attempts the number of attempts since the call was last sent
 * @param failures the latest failed attempts, oldest first
 * @param startedAt when the first attempt of a waiting or running call ran or is planned; {@code null} for other calls, or if
 *     unknown
 * @param due when the next attempt is or was due; {@code null} if there is none
 * @param runningSince when the running attempt began; {@code null} if this process runs none
 * @param attemptTimeout the limit of an attempt; {@code null} if there is none, or if this process cannot run the call
 * @param firstFailedAt when an attempt of a call that has died failed first; otherwise {@code null}
 * @param diedAt when the call died for the last time, also while it is resent; {@code null} if it never has
 * @param traceId the trace of the last attempt; {@code null} if there was none
 * @param problem why the stored call cannot be read; {@code null} if it can
 * @param waitsFor the id of the first call with its order key, for which a blocked call waits; {@code null} if it is not blocked
 * @param actions the changes since the call first died, oldest first
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

        /** The call runs after another one with its order key, which has not ended. */
        BLOCKED,

        /** The call has failed permanently and needs attention. */
        DEAD,

        /** The call had died, was resent, and has succeeded. */
        RESOLVED,

        /** The call is no longer needed: a user has discarded it, or its method deletes calls that fail. */
        DISCARDED
    }

    /**
     * A failed attempt.
     *
     * @param attempt the number of the attempt, from 1
     * @param errorType the class of its error; {@code null} if it returned a value that must be retried
     * @param errorMessage the message of its error, or {@code null}
     * @param at when it failed; {@code null} if unknown
     */
    public record Failure(
            int attempt,
            @Nullable String errorType,
            @Nullable String errorMessage,
            @Nullable Instant at) {}

    /**
     * A change of a call that has died.
     *
     * @param at when
     * @param by the user; {@code null} for a process, or if the user is unknown
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
         * @param at when
         * @param by the user, or {@code null}
         * @param what the kind of the change
         * @param detail a reason or an outcome as text, or {@code null}
         */
        public Action {
            Objects.requireNonNull(at, "at");
            Objects.requireNonNull(what, "what");
        }

        /** The kind of the change. */
        public enum What {
            /** The call was resent. */
            RESENT,

            /** A resent call has failed permanently, or a user has given a waiting call up. */
            DIED,

            /** A resent call has succeeded. */
            RESOLVED,

            /** The call was discarded. */
            DISCARDED
        }
    }

    /** Names the call, its state and its error, without messages and arguments, which can contain secrets. */
    @Override
    public String toString() {
        return "StoredCall[" + id + " " + name + " " + state + (errorType == null ? "" : ": " + errorType) + "]";
    }
}
