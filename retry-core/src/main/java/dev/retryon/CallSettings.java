/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import dev.retryon.RetryFaultListener.Source;
import dev.retryon.backoff.DurationText;
import dev.retryon.budget.RetryBudget;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What all calls of a {@link Retry} share: name, policy, engine, recovery and counters. Immutable apart from the counters. */
final class CallSettings implements CallFrame.Source {

    private final String name;

    private final RetryPolicy policy;

    private final RetryEngine engine;

    private final @Nullable RetryRecovery<Object, @Nullable Object> recovery;

    private final @Nullable LongAdder successes;

    private final LongAdder waiting;

    private final @Nullable RetryListener listener;

    private final @Nullable Function<Object, CallSubject> subjects;

    private final @Nullable RetrySwitch retrySwitch;

    private final @Nullable CallHandover handover;

    private final @Nullable Resumption resumption;

    private final boolean everStored;

    /** Receives how each asynchronous call went. */
    private final @Nullable Consumer<RetryResult<?>> watcher;

    private final boolean timed;

    private final boolean plain;

    private final boolean unseen;

    /**
     * What first attempts leave in the {@link CallFrame}, where it may stay after the call. So it keeps nothing alive, and its
     * class is the JDK's.
     */
    private final WeakReference<CallFrame.Source> mark = new WeakReference<>(this);

    /** Made once, and not for each retry. */
    private final Consumer<Throwable> backoffFaults = this::backoffFailed;

    /**
     * How a stored call goes on.
     *
     * @param waited what was waited since its last attempt
     * @param lease whether the hold on it still stands
     */
    record Resumption(CallState state, Duration waited, BooleanSupplier lease) {}

    /** Settings while they are collected. */
    static final class Draft {

        final String name;

        final RetryPolicy policy;

        @Nullable RetryEngine engine;

        @Nullable RetryRecovery<Object, @Nullable Object> recovery;

        @Nullable LongAdder successes;

        @Nullable LongAdder waiting;

        @Nullable RetryListener listener;

        @Nullable Function<Object, CallSubject> subjects;

        @Nullable RetrySwitch retrySwitch;

        @Nullable CallHandover handover;

        @Nullable Resumption resumption;

        @Nullable Consumer<RetryResult<?>> watcher;

        boolean timed;

        Draft(String name, RetryPolicy policy) {
            this.name = name;
            this.policy = policy;
        }
    }

    CallSettings(Draft draft) {
        this.name = draft.name;
        this.policy = draft.policy;
        this.engine = draft.engine != null ? draft.engine : RetryEngine.shared();
        this.recovery = draft.recovery;
        this.successes = draft.successes;
        this.waiting = draft.waiting != null ? draft.waiting : new LongAdder();
        this.listener = draft.listener;
        this.subjects = draft.subjects;
        this.handover = draft.handover;
        this.retrySwitch = draft.retrySwitch;
        if (retrySwitch != null) {
            retrySwitch.serves(engine);
        }
        this.resumption = draft.resumption;
        this.everStored = handover != null || resumption != null || engine.deadLetters() != null;
        this.watcher = draft.watcher;
        this.timed = draft.timed || watcher != null || policy.timeout() != null;
        this.unseen = watcher == null && resumption == null && policy.retryIf() == null;
        this.plain = !timed
                && resumption == null
                && policy.attemptTimeout() == null
                && policy.budget() == null
                && policy.retryIf() == null;
    }

    /** The same settings with another policy. */
    Draft with(RetryPolicy other) {
        Draft draft = new Draft(name, other);
        draft.engine = engine;
        draft.recovery = recovery;
        draft.successes = successes;
        draft.waiting = waiting;
        draft.listener = listener;
        draft.subjects = subjects;
        draft.handover = handover;
        draft.retrySwitch = retrySwitch;
        draft.timed = timed;
        return draft;
    }

    String name() {
        return name;
    }

    RetryPolicy policy() {
        return policy;
    }

    RetryEngine engine() {
        return engine;
    }

    @Nullable RetryRecovery<Object, @Nullable Object> recovery() {
        return recovery;
    }

    @Nullable RetryListener listener() {
        return listener;
    }

    @Nullable LongAdder successes() {
        return successes;
    }

    @Nullable RetrySwitch retrySwitch() {
        return retrySwitch;
    }

    /** Whether the retries of these calls were ended. */
    boolean isSwitchedOff() {
        return retrySwitch != null && retrySwitch.isOff();
    }

    /** Takes over the retries; {@code null} if the call makes them itself. */
    @Nullable CallHandover handover() {
        return handover;
    }

    /**
     * Whether calls may be stored, so that they have to know when they failed. An error can make a dead letter of any call,
     * whatever its policy says.
     */
    boolean isEverStored() {
        return everStored;
    }

    WeakReference<CallFrame.Source> mark() {
        return mark;
    }

    /** The state of the stored call that goes on with these settings; {@code null} if they are for new calls. */
    @Nullable RetryCall resumed() {
        if (resumption == null) {
            return null;
        }
        RetryCall call = RetryCall.restore(this, resumption.state(), resumption.lease());
        call.next(resumption.waited());
        return call;
    }

    /** Whether a call that succeeds at once is nothing but its attempt: no clock, no budget, no limit, no value to test. */
    boolean isPlain() {
        return plain;
    }

    /** Whether an asynchronous call that succeeds at once is nothing but the future of its attempt. */
    boolean isUnseen() {
        return unseen;
    }

    /** An asynchronous call has ended. */
    void ended(RetryCall call, @Nullable Object value, @Nullable Throwable thrown) {
        if (watcher != null) {
            watcher.accept(call.result(value, thrown));
        }
    }

    /**
     * Does what has to be done before the first attempt.
     *
     * @param known the call's state, if it is wanted whatever happens
     * @return what to leave in the {@link CallFrame}
     */
    Object entered(@Nullable RetryCall known) {
        RetryBudget budget = policy.budget();
        if (budget != null && (known == null || known.attempt() == 1)) {
            budget.deposit();
        }
        return known != null ? known : timed ? RetryCall.begin(this) : mark;
    }

    /** The context of a call whose first attempt runs; its time counts from now. */
    @Override
    public RetryContext begin() {
        return RetryCall.begin(this);
    }

    void countSuccess() {
        if (successes != null) {
            successes.increment();
        }
    }

    void countWaiting(int change) {
        waiting.add(change);
    }

    long waiting() {
        return waiting.sum();
    }

    CallSubject describe(@Nullable Object subject) {
        return subjects == null || subject == null ? CallSubject.of(name, subject) : subjects.apply(subject);
    }

    /**
     * A gate or a decider has failed. The fault must not hide the error that the call ends with.
     *
     * @param asked which; {@code null} if the deciders could not be looked up
     */
    void gateFailed(@Nullable Object asked, Throwable fault, @Nullable Throwable original) {
        String consequence = "so the call is not retried";
        if (asked == null) {
            failed(Source.DECIDER, "the deciders can't be looked up, " + consequence, fault, original);
        } else if (asked instanceof RetryDecider) {
            failed(Source.DECIDER, "the decider " + Faults.type(asked) + " failed, " + consequence, fault, original);
        } else {
            failed(Source.GATE, "the gate '" + Faults.print(asked) + "' failed, " + consequence, fault, original);
        }
    }

    /** {@code retryIf} has failed. */
    void retryIfFailed(Object gate, Throwable fault) {
        String sentence = "the gate '" + Faults.print(gate) + "' failed, so the returned value is not retried";
        failed(Source.GATE, sentence, fault, null);
    }

    /** The sleeper, the timer or the executor has failed. The fault must not hide the error of the call. */
    void notWaited(Throwable fault, @Nullable Throwable original) {
        failed(Source.WAIT, "the wait before a retry failed, so the call is not retried", fault, original);
    }

    /** The retries of a call were not taken over. The fault must not hide the error of the call. */
    void notHandedOver(Throwable fault, @Nullable Throwable original) {
        failed(Source.STORE, "a retry could not be stored, so the call is not retried", fault, original);
    }

    /** Keeps a call that has failed for good. */
    void keep(RetryCall call, FailedCall failed, DeadLetterQueue queue) throws Exception {
        if (handover != null && call.isResumed()) {
            handover.died(failed, queue);
        } else {
            queue.add(failed);
        }
    }

    /** A call need not be kept any more; informs the handover that has taken it over, if one has. */
    void ended(RetryCall call, boolean isDiscarded) {
        if (handover == null || !call.isResumed()) {
            return;
        }
        try {
            handover.ended(call.callId(), isDiscarded);
        } catch (Throwable ex) {
            String sentence = "the end of a stored call could not be written, so the call may be made again";
            failed(Source.STORE, sentence, ex, null);
        }
    }

    /** A call that was to be kept is lost. The caller gets the error in any case. */
    void notKept(Throwable fault, @Nullable Throwable original) {
        failed(Source.DEAD_LETTER, "a failed call could not be kept as a dead letter", fault, original);
    }

    private void failed(Source source, String sentence, Throwable fault, @Nullable Throwable original) {
        if (original != null) {
            Suppression.add(original, fault);
        }
        engine.faults().report(source, name, sentence, fault);
    }

    /** The policy's delay before the next retry of a call. */
    Duration backoffDelay(RetryCall call) {
        return policy.delays().delay(call.attempt(), call.previousDelay(), engine.random(), call, backoffFaults);
    }

    private void backoffFailed(Throwable fault) {
        String backoff = Faults.print(policy.backoff());
        String sentence = "backoff " + backoff + " failed, so the base delay of " + DurationText.print(policy.delay())
                + " is used";
        failed(Source.BACKOFF, sentence, fault, null);
    }
}
