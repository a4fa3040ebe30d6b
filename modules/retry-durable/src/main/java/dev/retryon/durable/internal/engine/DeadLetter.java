// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.engine;

import dev.retryon.CallState;
import dev.retryon.ErrorText;
import dev.retryon.FailedCall;
import dev.retryon.StopReason;
import dev.retryon.durable.StoredCall;
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
 * @param bean the name of the called bean; {@code null} if there is none
 * @param arguments the arguments as JSON; {@code null} if they were not stored. If the stored call cannot be read, its
 *     unchanged text
 * @param errorCode the code of the last error; {@code null} if it has none
 * @param errorType the class of the last error; {@code null} if the last attempt returned a value that must be retried
 * @param errorMessage the error's message, truncated to {@value ErrorText#LONGEST} characters; or {@code null}
 * @param stackTrace the error's stack trace, truncated to {@value #LONGEST_STACK_TRACE} characters; or {@code null}
 * @param failures the latest failed attempts, oldest first, including those before the call was resent
 * @param attempts the number of attempts since the call was last sent
 * @param firstFailedAt the time of the call's first failed attempt
 * @param diedAt the time of the call's permanent failure, which is the latest one if the call was resent
 * @param state {@code WAITING} while the call is resent, also while it runs; otherwise {@code DEAD}, {@code RESOLVED} or
 *     {@code DISCARDED}
 * @param lane the lane in which the call ran, or would run if it was resent
 * @param traceId the trace of the last attempt; {@code null} if the attempt was not traced
 * @param traceParent the trace parent of W3C Trace Context at which a resent call continues the trace; {@code null} if
 *     unknown
 * @param actions the actions since the call died, oldest first
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
        List<StoredCall.Failure> failures,
        int attempts,
        StopReason reason,
        Instant firstFailedAt,
        Instant diedAt,
        StoredCall.State state,
        String lane,
        @Nullable String traceId,
        @Nullable String traceParent,
        List<StoredCall.Action> actions) {

    /** The name and the method of a stored call that cannot be read. */
    public static final String UNREADABLE = "unreadable";

    /** The maximum length of a stack trace, in characters. */
    public static final int LONGEST_STACK_TRACE = 16 * 1024;

    /** The maximum number of stored failed attempts. */
    public static final int FAILURES = 50;

    /** The maximum number of stored actions. */
    public static final int ACTIONS = 50;

    public DeadLetter {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(method, "method");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(lane, "lane");
        failures = latest(failures, FAILURES);
        actions = latest(actions, ACTIONS);
    }

    public static DeadLetter of(
            FailedCall call,
            @Nullable String bean,
            @Nullable String arguments,
            String lane,
            @Nullable String traceId,
            @Nullable String traceParent,
            Instant at) {
        CallState state = call.state();
        Throwable error = call.error();
        ErrorText text = state.error();
        List<StoredCall.Failure> failures = failures(state);
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
                StoredCall.State.DEAD,
                lane,
                traceId,
                traceParent,
                List.of());
    }

    /** Returns whether the stored call could be read, so that its method and its arguments are known. */
    public boolean isReadable() {
        return !method.equals(UNREADABLE);
    }

    /**
     * Returns this dead letter after its call was resent and has failed again, with the failures and actions of both. If the
     * call could not be read, its method and its arguments do not change.
     */
    public DeadLetter died(DeadLetter again) {
        return new DeadLetter(
                id,
                again.isReadable() ? again.name : name,
                again.isReadable() ? again.method : method,
                again.isReadable() ? again.bean : bean,
                again.isReadable() && again.arguments != null ? again.arguments : arguments,
                again.errorCode,
                again.errorType,
                again.errorMessage,
                again.stackTrace,
                joined(failures, again.failures),
                again.attempts,
                again.reason,
                firstFailedAt,
                again.diedAt,
                StoredCall.State.DEAD,
                again.lane,
                again.isReadable() ? again.traceId : traceId,
                again.isReadable() ? again.traceParent : traceParent,
                joined(actions, again.actions));
    }

    public DeadLetter after(StoredCall.Action action) {
        StoredCall.State next = switch (action.what()) {
            case RESENT -> StoredCall.State.WAITING;
            case DIED -> StoredCall.State.DEAD;
            case RESOLVED -> StoredCall.State.RESOLVED;
            case DISCARDED -> StoredCall.State.DISCARDED;
        };
        return with(arguments, stackTrace, failures, next, joined(actions, List.of(action)));
    }

    public DeadLetter withArguments(@Nullable String other) {
        return with(other, stackTrace, failures, state, actions);
    }

    /** Returns a smaller copy for a store that rejects the whole letter. Without its arguments, the call cannot be resent. */
    public DeadLetter reduced(StoredCall.Action action) {
        return with(null, null, latest(failures, 1), state, joined(actions, List.of(action)));
    }

    private DeadLetter with(
            @Nullable String args,
            @Nullable String trace,
            List<StoredCall.Failure> failed,
            StoredCall.State next,
            List<StoredCall.Action> done) {
        return new DeadLetter(
                id,
                name,
                method,
                bean,
                args,
                errorCode,
                errorType,
                errorMessage,
                trace,
                failed,
                attempts,
                reason,
                firstFailedAt,
                diedAt,
                next,
                lane,
                traceId,
                traceParent,
                done);
    }

    /** Returns the failed attempts of a call, the oldest first. */
    public static List<StoredCall.Failure> failures(CallState state) {
        List<StoredCall.Failure> failures = new ArrayList<>();
        state.past().forEach(failed -> failures.add(failure(failed.number(), failed.error(), failed.failedAt())));
        if (state.attempt() > 0) {
            failures.add(failure(state.attempt(), state.error(), state.failedAt()));
        }
        return failures;
    }

    private static StoredCall.Failure failure(int attempt, @Nullable ErrorText error, @Nullable Instant at) {
        return new StoredCall.Failure(
                attempt, error == null ? null : error.type(), error == null ? null : error.message(), at);
    }

    private static Instant firstOf(List<StoredCall.Failure> failures, Instant otherwise) {
        for (StoredCall.Failure failure : failures) {
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
        return "DeadLetter[" + id + " " + name + " " + state + " since " + diedAt + ": "
                + (errorType == null ? "a returned value" : errorType) + "]";
    }
}
