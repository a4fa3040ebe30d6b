// SPDX-License-Identifier: Apache-2.0
package dev.retryon.deadletter;

import dev.retryon.CallState;
import dev.retryon.ErrorText;
import dev.retryon.FailedCall;
import dev.retryon.StopReason;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A stored call that has failed permanently. Immutable; consists of plain values.
 *
 * @param id the id of the call, see {@link dev.retryon.RetryContext#callId()}
 * @param name the name of the retry, as in events and meters
 * @param method the canonical name of the method, see {@link dev.retryon.CallSubject#key()}
 * @param bean the name of the bean on which the method was called; {@code null} if there is none
 * @param arguments the arguments as JSON; {@code null} if they were not stored. If the stored call can't be read, its
 *     text as it is
 * @param errorCode the code of the last error; {@code null} if there was none
 * @param errorType the class of the last error; {@code null} if the last attempt returned a value that must be
 *     retried
 * @param errorMessage its message, truncated to {@value ErrorText#LONGEST} characters; or {@code null}
 * @param stackTrace its stack trace, truncated to {@value #LONGEST_STACK_TRACE} characters; or {@code null}
 * @param failures the latest failed attempts, oldest first, including those before the call was resent
 * @param attempts the number of attempts since the call was last sent
 * @param reason why the call was not retried again
 * @param firstFailedAt when an attempt failed first
 * @param diedAt the time of its permanent failure; if it was resent, of the latest one
 * @param status the status
 * @param traceId the trace of the last attempt; {@code null} if there was none
 * @param traceParent the trace parent of W3C Trace Context at which a resent call continues the trace; {@code
 *     null} if unknown
 * @param actions the actions since then, oldest first
 * @since 0.1.0
 */
public record DeadLetter(
        String id,
        String name,
        String method,
        @Nullable String bean,
        @Nullable String arguments,
        @Nullable String errorCode,
        @Nullable String errorType,
        @Nullable String errorMessage,
        @Nullable String stackTrace,
        List<Failure> failures,
        int attempts,
        StopReason reason,
        Instant firstFailedAt,
        Instant diedAt,
        DeadLetterStatus status,
        @Nullable String traceId,
        @Nullable String traceParent,
        List<Action> actions) {

    /** The maximum length of a stack trace, in characters. */
    public static final int LONGEST_STACK_TRACE = 16 * 1024;

    /** The maximum number of stored failed attempts. */
    public static final int FAILURES = 50;

    /** The maximum number of stored actions. */
    public static final int ACTIONS = 50;

    /**
     * Creates a dead letter.
     *
     * @param id the id of the call
     * @param name the name of the retry
     * @param method the canonical name of the method
     * @param bean the name of the bean, or {@code null}
     * @param arguments the arguments as JSON, or {@code null}
     * @param errorCode the code of the last error, or {@code null}
     * @param errorType the class of the last error, or {@code null}
     * @param errorMessage its message, or {@code null}
     * @param stackTrace its stack trace, or {@code null}
     * @param failures the failed attempts; only the latest {@value #FAILURES} are stored
     * @param attempts the number of attempts
     * @param reason why the call ended
     * @param firstFailedAt when an attempt failed first
     * @param diedAt when the call failed permanently
     * @param status the status
     * @param traceId the trace, or {@code null}
     * @param traceParent the trace parent, or {@code null}
     * @param actions the actions; only the latest {@value #ACTIONS} are stored
     */
    public DeadLetter {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(method, "method");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(status, "status");
        failures = latest(failures, FAILURES);
        actions = latest(actions, ACTIONS);
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
     * An action on a dead letter.
     *
     * @param at the time of the action
     * @param by the user; {@code null} if unknown
     * @param what the resulting status
     * @param detail a reason or an outcome as text, or {@code null}
     */
    public record Action(
            Instant at,
            @Nullable String by,
            DeadLetterStatus what,
            @Nullable String detail) {

        /**
         * Creates an action.
         *
         * @param at the time of the action
         * @param by the user, or {@code null}
         * @param what the resulting status
         * @param detail a reason or an outcome as text, or {@code null}
         */
        public Action {
            Objects.requireNonNull(at, "at");
            Objects.requireNonNull(what, "what");
        }
    }

    /**
     * Creates a dead letter from a failed call.
     *
     * @param call the call
     * @param bean the name of the bean on which the method was called, or {@code null}
     * @param arguments the arguments as JSON, or {@code null}
     * @param traceId the trace of the last attempt, or {@code null}
     * @param traceParent the trace parent of W3C Trace Context, or {@code null}
     * @param at when the call failed permanently
     * @return a dead letter of status {@link DeadLetterStatus#DEAD}
     */
    public static DeadLetter of(
            FailedCall call,
            @Nullable String bean,
            @Nullable String arguments,
            @Nullable String traceId,
            @Nullable String traceParent,
            Instant at) {
        CallState state = call.state();
        Throwable error = call.error();
        ErrorText text = state.error();
        List<Failure> failures = new ArrayList<>();
        for (CallState.Failed failed : state.past()) {
            failures.add(failure(failed.number(), failed.error(), failed.failedAt()));
        }
        failures.add(failure(state.attempt(), text, state.failedAt()));
        return new DeadLetter(
                state.callId(),
                call.name(),
                call.subject().key(),
                bean,
                arguments,
                call.errorCode(),
                text == null ? null : text.type(),
                text == null ? null : text.message(),
                error == null ? null : stackTrace(error),
                failures,
                state.attempt(),
                call.reason(),
                firstOf(failures, at),
                at,
                DeadLetterStatus.DEAD,
                traceId,
                traceParent,
                List.of());
    }

    /**
     * Returns this dead letter after its call was resent and has failed again.
     *
     * @param again the dead letter of the new failure
     * @return a dead letter with the newest error, and with the failures and actions of both
     */
    public DeadLetter died(DeadLetter again) {
        return with(
                again,
                again.arguments != null ? again.arguments : arguments,
                again.stackTrace,
                joined(failures, again.failures),
                DeadLetterStatus.DEAD,
                joined(actions, again.actions));
    }

    /**
     * Returns this dead letter after an action.
     *
     * @param action the action
     * @return a dead letter with the resulting status
     */
    public DeadLetter after(Action action) {
        return with(this, arguments, stackTrace, failures, action.what(), joined(actions, List.of(action)));
    }

    /**
     * {@return a copy of this dead letter with other arguments, such as masked ones}
     *
     * @param other the arguments as JSON, or {@code null}
     */
    public DeadLetter withArguments(@Nullable String other) {
        return with(this, other, stackTrace, failures, status, actions);
    }

    /**
     * Returns a smaller copy for a store that rejects the whole letter: no arguments, no stack trace, and only the latest
     * failure. Without its arguments, the call cannot be resent.
     *
     * @param action the action, with the reason
     * @return a dead letter with the resulting status
     */
    public DeadLetter reduced(Action action) {
        return with(this, null, null, latest(failures, 1), action.what(), joined(actions, List.of(action)));
    }

    /** Returns this dead letter with the end of a call, its own or that of the resent call. */
    private DeadLetter with(
            DeadLetter end,
            @Nullable String args,
            @Nullable String trace,
            List<Failure> failed,
            DeadLetterStatus next,
            List<Action> done) {
        return new DeadLetter(
                id,
                end.name,
                end.method,
                end.bean,
                args,
                end.errorCode,
                end.errorType,
                end.errorMessage,
                trace,
                failed,
                end.attempts,
                end.reason,
                firstFailedAt,
                end.diedAt,
                next,
                end.traceId,
                end.traceParent,
                done);
    }

    private static Failure failure(int attempt, @Nullable ErrorText error, @Nullable Instant at) {
        return new Failure(attempt, error == null ? null : error.type(), error == null ? null : error.message(), at);
    }

    private static Instant firstOf(List<Failure> failures, Instant otherwise) {
        for (Failure failure : failures) {
            if (failure.at() != null) {
                return failure.at();
            }
        }
        return otherwise;
    }

    /** Returns the truncated stack trace of an error, or its class if printing it throws. */
    private static String stackTrace(Throwable error) {
        try {
            StringWriter text = new StringWriter();
            error.printStackTrace(new PrintWriter(text));
            String trace = text.toString();
            return trace.length() <= LONGEST_STACK_TRACE ? trace : trace.substring(0, LONGEST_STACK_TRACE) + "…";
        } catch (Throwable ex) {
            return error.getClass().getName();
        }
    }

    private static <T> List<T> joined(List<T> first, List<T> next) {
        return Stream.concat(first.stream(), next.stream()).toList();
    }

    private static <T> List<T> latest(List<T> all, int most) {
        return List.copyOf(all.size() <= most ? all : all.subList(all.size() - most, all.size()));
    }

    /** Returns the call and its error, without arguments and messages, which may contain secrets. */
    @Override
    public String toString() {
        return "DeadLetter[" + id + " " + name + " " + status + " since " + diedAt + ": "
                + (errorType == null ? "a returned value" : errorType) + "]";
    }
}
