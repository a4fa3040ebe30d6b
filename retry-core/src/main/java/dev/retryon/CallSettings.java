// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.ExtensionErrorListener.Kind;
import dev.retryon.budget.RetryBudget;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The settings that all calls of a {@link Retry} share. Immutable apart from the counters.
 *
 * @param successes counts the calls that succeed with their first attempt
 * @param waiting counts the calls that wait for their next attempt
 * @param listeners the listeners for only these calls
 * @param handover takes over the retries of these calls; {@code null} if the calls run them
 * @param resumption the stored call that these settings continue; {@code null} if they are for new calls
 * @param watcher receives the outcome of each asynchronous call
 * @param timed whether the time of a call counts from its start
 */
record CallSettings(
        String name,
        RetryPolicy policy,
        RetryEngine engine,
        @Nullable RetryRecovery<Object, ?> recovery,
        @Nullable BeforeRetry<Object> beforeRetry,
        @Nullable LongAdder successes,
        LongAdder waiting,
        List<RetryListener> listeners,
        @Nullable Function<Object, CallSubject> subjects,
        @Nullable RetrySwitch retrySwitch,
        @Nullable CallHandover handover,
        @Nullable Resumption resumption,
        @Nullable Consumer<RetryResult<?>> watcher,
        boolean timed) {

    /**
     * The continuation of a stored call.
     *
     * @param waited the time waited since the call's last attempt
     * @param lease whether this process still has the lease
     */
    record Resumption(CallState state, Duration waited, BooleanSupplier lease) {}

    boolean isSwitchedOff() {
        return retrySwitch != null && retrySwitch.isOff();
    }

    /** Returns the reason why no further retry may start, or {@code null} if retries may start. */
    @Nullable StopReason halted() {
        if (engine.isClosed()) {
            return StopReason.SHUTDOWN;
        }
        return isSwitchedOff() ? StopReason.SWITCHED_OFF : null;
    }

    /**
     * Returns whether calls can be stored and therefore need the times of their failures. If the engine has a queue for
     * dead letters, this applies to all calls, because an error can request a dead letter.
     */
    boolean isEverStored() {
        return handover != null || resumption != null || engine.deadLetters() != null;
    }

    /**
     * Returns the state of a call that has one before its first attempt, or {@code null} for other calls. The stored call
     * that these settings continue has such a state, and so does a call whose budget depends on a key.
     */
    @Nullable RetryCall opened(@Nullable Object subject) {
        RetryCall call = resumed();
        if (policy.budgetKey() != null) {
            call = call != null ? call : RetryCall.begin(this);
            call.about(subject);
        }
        return call;
    }

    /** Returns the state of the stored call that these settings continue, or {@code null} if they are for new calls. */
    @Nullable RetryCall resumed() {
        if (resumption == null) {
            return null;
        }
        RetryCall call = RetryCall.restore(this, resumption.state(), resumption.lease());
        call.next(resumption.waited());
        return call;
    }

    /** Returns whether a call that succeeds immediately consists of its attempt alone: no clock, budget, limit or value test. */
    boolean isPlain() {
        return !timed
                && resumption == null
                && policy.attemptTimeout() == null
                && policy.budget() == null
                && policy.retryIf() == null;
    }

    /** Returns whether the future of an attempt that succeeds immediately can be returned unchanged. */
    boolean isUnseen() {
        return watcher == null && resumption == null && policy.retryIf() == null;
    }

    void ended(RetryCall call, @Nullable Object value, @Nullable Throwable thrown) {
        if (watcher != null) {
            watcher.accept(call.result(value, thrown));
        }
    }

    /** Prepares the first attempt, with a state only if it is already needed. Returns the content of the {@link CallFrame}. */
    Object entered(@Nullable RetryCall known) {
        if (policy.budget() != null && (known == null || known.attempt() == 1)) {
            budgetOf(known).deposit();
        }
        return known != null ? known : timed ? RetryCall.begin(this) : this;
    }

    /** Returns the budget for a call's key, or the budget for all calls. The settings must have a budget. */
    RetryBudget budgetOf(@Nullable RetryCall call) {
        RetryBudget whole = Objects.requireNonNull(policy.budget());
        Function<RetryContext, ?> key = policy.budgetKey();
        if (call == null || key == null) {
            return whole;
        }
        try {
            Object value = Extensions.find(key, () -> key.apply(call));
            return value == null ? whole : whole.forKey(value);
        } catch (Throwable ex) {
            String sentence = "the budget key '" + ExtensionErrorReporter.print(key)
                    + "' failed, so the call uses the undivided budget";
            report(Kind.GATE, sentence, ex, null);
            return whole;
        }
    }

    void countSuccess() {
        if (successes != null) {
            successes.increment();
        }
    }

    CallSubject describe(@Nullable Object subject) {
        Function<Object, CallSubject> describing = subjects;
        CallSubject described = describing == null || subject == null
                ? null
                : Extensions.<CallSubject, RuntimeException>find(describing, () -> describing.apply(subject));
        return described != null ? described : CallSubject.of(name, subject);
    }

    void notWaited(Throwable failure, @Nullable Throwable original) {
        report(Kind.WAIT, "the wait before a retry failed, so the call is not retried", failure, original);
    }

    /** Hands a call over. Returns {@code false} if the handover has failed, which is reported. */
    boolean handOver(RetryCall call, Duration delay, @Nullable Throwable original) {
        try {
            Objects.requireNonNull(handover).take(Objects.requireNonNull(call.subject()), call.state(), delay);
            return true;
        } catch (Throwable ex) {
            String sentence = call.isResumed()
                    ? "the next retry of a stored call could not be stored; the call is stored as failed instead"
                    : "a retry could not be stored, so the call is not retried";
            report(Kind.STORE, sentence, ex, original);
            return false;
        }
    }

    /** Informs the handover that a stored call has succeeded, or of the reason why it is discarded. */
    void ended(RetryCall call, @Nullable StopReason discarded) {
        if (handover == null || !call.isResumed()) {
            return;
        }
        try {
            handover.ended(call.callId(), discarded);
        } catch (Throwable ex) {
            String sentence = "the outcome of a stored call could not be recorded, so the call might run again";
            report(Kind.STORE, sentence, ex, null);
        }
    }

    /**
     * Reports the exception of an extension. The exception is suppressed in the original error of the call, which it must
     * not hide; {@code null} if the call has no error.
     */
    void report(Kind kind, String sentence, Throwable failure, @Nullable Throwable original) {
        if (original != null) {
            Suppression.add(original, failure);
        }
        engine.extensionErrors().report(kind, name, sentence, failure);
    }
}
