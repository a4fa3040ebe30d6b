/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
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
import org.jspecify.annotations.Nullable;

/**
 * A call that has failed for good, as it is kept. Plain values; immutable.
 *
 * @param id the id of the call, {@link dev.retryon.RetryContext#callId()} in each of its attempts
 * @param name the name of what was called, as in events and meters
 * @param method the canonical name of the method, {@link dev.retryon.CallSubject#key()}
 * @param bean the name of the bean that the method was called on; {@code null} if it was none
 * @param arguments the arguments, encoded; {@code null} if they were not kept
 * @param errorCode the code of the last error; {@code null} if there was none
 * @param errorType the class of the last error; {@code null} if the last attempt returned a value that was to be retried
 * @param errorMessage its message, cut after {@value ErrorText#LONGEST} characters; or {@code null}
 * @param stackTrace its stack trace, cut after {@value #LONGEST_STACK_TRACE} characters; or {@code null}
 * @param failures the latest failed attempts, the oldest first; those of earlier sendings too
 * @param attempts how many attempts were made since the call was sent last
 * @param reason why the call was not, or no longer, retried
 * @param firstFailedAt when an attempt failed first
 * @param diedAt when the call failed for good; the last time, if it was sent again
 * @param status where it stands
 * @param traceId the trace that the last attempt was part of; {@code null} if there was none
 * @param traceParent the place in that trace at which the call was kept, as the W3C's Trace Context writes it; {@code null} if
 *     it is not known. Who sends the call again goes on there
 * @param actions what was done since, and by whom, the oldest first
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

    /** The longest stack trace that is kept, in characters. */
    public static final int LONGEST_STACK_TRACE = 16 * 1024;

    /** How many failed attempts are kept. */
    public static final int FAILURES = 50;

    /** How many actions are kept. */
    public static final int ACTIONS = 50;

    /**
     * Describes a dead letter.
     *
     * @param id the id of the call
     * @param name the name of what was called
     * @param method the canonical name of the method
     * @param bean the name of the bean, or {@code null}
     * @param arguments the arguments, encoded, or {@code null}
     * @param errorCode the code of the last error, or {@code null}
     * @param errorType the class of the last error, or {@code null}
     * @param errorMessage its message, or {@code null}
     * @param stackTrace its stack trace, or {@code null}
     * @param failures the failed attempts; the latest {@value #FAILURES} are kept
     * @param attempts how many attempts were made
     * @param reason why the call ended
     * @param firstFailedAt when an attempt failed first
     * @param diedAt when the call failed for good
     * @param status where it stands
     * @param traceId the trace, or {@code null}
     * @param traceParent the place in it, or {@code null}
     * @param actions what was done since; the latest {@value #ACTIONS} are kept
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
     * An attempt that failed.
     *
     * @param attempt its number, from 1
     * @param errorType the class of its error; {@code null} if it returned a value that was to be retried
     * @param errorMessage the message of its error, or {@code null}
     * @param at when it failed; {@code null} if that is not known
     */
    public record Failure(
            int attempt,
            @Nullable String errorType,
            @Nullable String errorMessage,
            @Nullable Instant at) {}

    /**
     * Something that was done with a dead letter.
     *
     * @param at when
     * @param by who did it; {@code null} if that is not known
     * @param what what was done: the status that it led to
     * @param detail a reason or an outcome in words, or {@code null}
     */
    public record Action(
            Instant at,
            @Nullable String by,
            DeadLetterStatus what,
            @Nullable String detail) {}

    /**
     * What is kept of a call.
     *
     * @param call the call
     * @param bean the name of the bean that the method was called on, or {@code null}
     * @param arguments the arguments, encoded, or {@code null}
     * @param traceId the trace that the last attempt was part of, or {@code null}
     * @param traceParent the place in that trace, as the W3C's Trace Context writes it, or {@code null}
     * @param at when it failed for good
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
     * This dead letter after its call was sent again and has failed again.
     *
     * @param again what is kept of that
     * @return a dead letter with the newest failure, all that was done, and the failures of both
     */
    public DeadLetter died(DeadLetter again) {
        List<Failure> all = new ArrayList<>(failures);
        all.addAll(again.failures);
        List<Action> done = new ArrayList<>(actions);
        done.addAll(again.actions);
        return with(again, again.arguments != null ? again.arguments : arguments, all, DeadLetterStatus.DEAD, done);
    }

    /**
     * This dead letter after something was done with it.
     *
     * @param action what was done
     * @return a dead letter of the status that it led to
     */
    public DeadLetter after(Action action) {
        List<Action> done = new ArrayList<>(actions);
        done.add(action);
        return with(this, arguments, failures, action.what(), done);
    }

    /**
     * This dead letter with other arguments, such as those that may be shown.
     *
     * @param other the arguments, encoded, or {@code null}
     * @return a dead letter that is the same but for them
     */
    public DeadLetter withArguments(@Nullable String other) {
        return with(this, other, failures, status, actions);
    }

    /**
     * Returns this dead letter without its arguments, its stack trace, and all failures but the last, for a store that does not
     * take the whole. Such a call can't be sent again.
     *
     * @param action says why
     * @return a dead letter of the status that the action leads to
     */
    public DeadLetter reduced(Action action) {
        List<Action> done = new ArrayList<>(actions);
        done.add(action);
        return new DeadLetter(
                id,
                name,
                method,
                bean,
                null,
                errorCode,
                errorType,
                errorMessage,
                null,
                latest(failures, 1),
                attempts,
                reason,
                firstFailedAt,
                diedAt,
                action.what(),
                traceId,
                traceParent,
                done);
    }

    /** This dead letter as one whose hold has lapsed. */
    DeadLetter lapsed() {
        return with(this, arguments, failures, DeadLetterStatus.DEAD, actions);
    }

    /** This dead letter with the end of a call, its own or that of the same call sent again. */
    private DeadLetter with(
            DeadLetter end, @Nullable String args, List<Failure> failed, DeadLetterStatus next, List<Action> done) {
        return new DeadLetter(
                id,
                end.name,
                end.method,
                end.bean,
                args,
                end.errorCode,
                end.errorType,
                end.errorMessage,
                end.stackTrace,
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

    /** The stack trace of an error, without what is too long; its class alone if that fails: it runs code of the user's. */
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

    private static <T> List<T> latest(List<T> all, int most) {
        return List.copyOf(all.size() <= most ? all : all.subList(all.size() - most, all.size()));
    }

    /** Names the call and its error, without arguments and messages, which may hold secrets. */
    @Override
    public String toString() {
        return "DeadLetter[" + id + " " + name + " " + status + " since " + diedAt + ": "
                + (errorType == null ? "a returned value" : errorType) + "]";
    }
}
