// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.ExtensionErrorListener.Kind;
import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/** The end of a failed blocking, asynchronous or stored call: {@link #keep}, {@link #recover}, {@link #close}, in this order. */
final class CallEnd {

    private final RetryCall call;

    private final StopReason reason;

    /** The error of the last attempt; {@code null} if it returned a value, or the caller cancelled the call. */
    private final @Nullable Throwable last;

    private final @Nullable WeakReference<?> around;

    private @Nullable Object served;

    private @Nullable Throwable thrown;

    private boolean recovered;

    private boolean kept;

    /**
     * @param thrown the error of the last attempt, as thrown; {@code null} if it returned a value
     * @param around the surrounding call, see {@link CallFrame#around}
     */
    CallEnd(
            RetryCall call,
            StopReason reason,
            @Nullable Throwable thrown,
            @Nullable Object value,
            @Nullable WeakReference<?> around) {
        this.around = around;
        this.call = call;
        this.reason = reason;
        this.last = thrown;
        this.thrown = thrown;
        this.served = value;
        call.stopped(reason);
    }

    /** Returns whether the call must be kept as a dead letter, which can block. */
    boolean isToBeKept() {
        return switch (reason) {
            case DISCARD, CANCELLED, INTERRUPTED -> false;
            case DEAD_LETTER -> true;
            // No caller receives the error of a call that was handed over.
            case FAIL -> call.isResumed() && !isDiscarded();
            default ->
                call.isResumed()
                        ? !isDiscarded()
                        : call.settings().policy().onExhaustion() == ExhaustionAction.DEAD_LETTER;
        };
    }

    private boolean isDiscarded() {
        return switch (reason) {
            case DISCARD -> true;
            case EXHAUSTED, NOT_RETRYABLE, REJECTED, DELAY_TOO_LONG, TIMEOUT, BUDGET, ROLLBACK_ONLY, FAIL ->
                call.isDurable() && call.settings().policy().onExhaustion() == ExhaustionAction.DISCARD;
            case SHUTDOWN, SWITCHED_OFF, INTERRUPTED, CANCELLED, DEAD_LETTER, UNRESOLVABLE -> false;
        };
    }

    /** Keeps or deletes the stored call if necessary. This is the first step. */
    void keep() {
        CallSettings settings = call.settings();
        if (isDiscarded()) {
            settings.ended(call, reason);
            return;
        }
        if (!isToBeKept()) {
            return;
        }
        DeadLetterQueue queue = settings.engine().deadLetters();
        try {
            if (queue == null) {
                throw new IllegalStateException(
                        "the engine has no DeadLetterQueue; set one with RetryEngineBuilder.deadLetters");
            }
            CallHandover handover = settings.handover();
            if (handover != null && call.isResumed()) {
                handover.died(failed(), queue);
            } else {
                queue.add(failed());
            }
            kept = true;
        } catch (Throwable ex) {
            // The caller receives the error of the call in any case.
            settings.report(Kind.DEAD_LETTER, "a failed call could not be stored as a dead letter", ex, last);
        }
    }

    private FailedCall failed() {
        Throwable error = call.lastError();
        CallSubject subject = call.subject();
        return new FailedCall(
                call.name(),
                subject != null ? subject : call.settings().describe(null),
                call.state(),
                error,
                error == null ? null : call.engine().chain(error, call).code(),
                reason);
    }

    /** Runs the recovery, if it is defined and the failure is recoverable. This is the second step. */
    void recover(@Nullable RetryRecovery<Object, ?> recovery) {
        Throwable failure = last;
        if (failure == null || recovery == null || !isRecoverable(failure)) {
            return;
        }
        try {
            recovered(call.recover(recovery, failure), null);
        } catch (Throwable ex) {
            recovered(null, ex);
        }
    }

    /** Records the outcome of the recovery. If the outcome is a stage, its completion calls this method again. */
    void recovered(@Nullable Object value, @Nullable Throwable error) {
        served = value;
        thrown = error;
        recovered = error == null;
        if (error != null && last != null) {
            Suppression.add(error, last);
        }
    }

    /** Adds the history to the error and publishes the events. This is the last step. */
    void close() {
        if (last != null) {
            call.leaveHistory(last, reason, around);
        }
        if (kept) {
            call.publishDeadLetter(reason);
        }
        call.publishFailure(reason, recovered);
    }

    boolean isKept() {
        return kept;
    }

    /** Returns whether a recovery has returned a value so far. If the value is a stage, the stage can still fail. */
    boolean isRecovered() {
        return recovered;
    }

    /** Returns the value for the caller, if nothing is {@linkplain #thrown() thrown}. */
    @Nullable Object value() {
        return served;
    }

    /** Returns the error for the caller, or {@code null} if the caller receives a value. */
    @Nullable Throwable thrown() {
        return thrown;
    }

    private boolean isRecoverable(Throwable failure) {
        return switch (reason) {
            case NOT_RETRYABLE ->
                call.settings().policy().matcher().recovers(call.engine().chain(failure, call));
            case INTERRUPTED, CANCELLED, DISCARD, FAIL, UNRESOLVABLE -> false;
            case EXHAUSTED,
                    REJECTED,
                    DELAY_TOO_LONG,
                    TIMEOUT,
                    BUDGET,
                    SHUTDOWN,
                    SWITCHED_OFF,
                    ROLLBACK_ONLY,
                    DEAD_LETTER -> true;
        };
    }
}
