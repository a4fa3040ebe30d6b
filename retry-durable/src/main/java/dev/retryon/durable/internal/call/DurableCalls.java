/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.call;

import dev.retryon.CallState;
import dev.retryon.CallSubject;
import dev.retryon.StopReason;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.durable.CallEngine;
import dev.retryon.durable.LeaseLostException;
import dev.retryon.durable.internal.context.CallContexts;
import dev.retryon.durable.internal.context.Surroundings;
import dev.retryon.durable.internal.letter.StoredReplays;
import dev.retryon.durable.internal.store.StoreChoice;
import dev.retryon.durable.internal.store.WriteFailures;
import dev.retryon.durable.internal.stored.StoredArguments;
import dev.retryon.durable.internal.stored.StoredMethods;
import dev.retryon.spi.DeadLetterQueue;
import dev.retryon.spi.FailedCall;
import dev.retryon.spring.RetrySettings;
import dev.retryon.spring.ReturnStyle;
import dev.retryon.spring.internal.expression.RetryExpressions;
import dev.retryon.spring.internal.policy.DurableBackend;
import dev.retryon.spring.internal.policy.RetriedMethod;
import dev.retryon.spring.internal.report.ExtensionErrors;
import dev.retryon.spring.internal.report.LogTrace;
import dev.retryon.spring.internal.settings.LookUp;
import dev.retryon.spring.internal.settings.Setting;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Stores calls that are to be made later: the retries of calls whose first attempt has failed, and whole calls that their caller
 * does not wait for. Where a worker has made the attempt, what is stored already is replaced. Thread-safe.
 */
public final class DurableCalls implements DurableBackend {

    private final Supplier<CallEngine> engine;

    private final StoredMethods methods;

    private final StoredArguments arguments;

    private final Supplier<DeadLetterStore> letters;

    private final Surroundings surroundings;

    private final ExtensionErrors faults;

    private final DurableSettings settings;

    private final StoredCallFormat format;

    private final LetterCalls letterCalls;

    private final WaitingLimits limits;

    private final UniqueKeys keys;

    private final HeldCalls held = new HeldCalls();

    private final Map<String, LaneGate> gates;

    /** Creates it. Nothing is opened before the first call is stored. */
    public DurableCalls(
            Supplier<? extends CallEngine> engine,
            StoredMethods methods,
            StoredArguments arguments,
            Supplier<DeadLetterStore> letters,
            Surroundings surroundings,
            ExtensionErrors faults,
            DurableSettings settings,
            ApplicationEventPublisher events,
            RetryExpressions expressions) {
        this.engine = new LookUp<>(engine);
        this.methods = methods;
        this.arguments = arguments;
        this.letters = letters;
        this.surroundings = surroundings;
        this.faults = faults;
        this.settings = settings;
        this.format = new StoredCallFormat(settings.maxArgumentBytes());
        this.gates = settings.lanes().newGates();
        this.limits = new WaitingLimits(settings.lanes(), () -> engine().backlog(), faults);
        this.keys = new UniqueKeys(expressions, faults);
        this.letterCalls = new LetterCalls(this, letters, events);
    }

    /** The built-in engine, which is db-scheduler. It is not started, and opens the store when it first needs it. */
    public static CallEngine engine(StoreChoice store, DurableSettings.Engine settings, ExtensionErrors faults) {
        return new DbSchedulerEngine(store, settings, faults);
    }

    @Override
    public ReturnStyle outbox(RetriedMethod method, @Nullable ReturnStyle later) {
        return new OutboxStyle(method, later, this, RetrySettings.NONE);
    }

    /** Runs the calls of dead letters of durable methods: stores them as durable calls. */
    public StoredReplays replays() {
        return letterCalls;
    }

    CallEngine engine() {
        return engine.get();
    }

    CallEngine.Transactions transactions() {
        return Objects.requireNonNull(engine().transactions(), "transactions() of the CallEngine bean returned null");
    }

    StoredMethods methods() {
        return methods;
    }

    StoredArguments arguments() {
        return arguments;
    }

    Surroundings surroundings() {
        return surroundings;
    }

    ExtensionErrors faults() {
        return faults;
    }

    DurableSettings settings() {
        return settings;
    }

    StoredCallFormat format() {
        return format;
    }

    HeldCalls held() {
        return held;
    }

    /** The gate of a lane; of one that is not known here, that of the default lane. */
    LaneGate gate(String lane) {
        return Objects.requireNonNull(gates.getOrDefault(lane, gates.get(Lanes.DEFAULT)));
    }

    /** The gates of all lanes by name. */
    Map<String, LaneGate> gates() {
        return gates;
    }

    /** Whether threads of this process run the calls of a method. */
    boolean runs(RetriedMethod method) {
        return settings.lanes().hasThreads(method.lane());
    }

    /** How long the longest of the attempts has run that this process runs; zero if it runs none. */
    public Duration longestAttempt() {
        return held.longest();
    }

    /** How many calls of methods with a name were not stored, because one with their key was. */
    public long duplicates(String name) {
        return keys.duplicates(name);
    }

    Instant now() {
        return engine().clock().instant();
    }

    /** Stores the retries of a call; of a call that a worker holds, what has happened meanwhile. */
    @Override
    public void take(CallSubject subject, CallState state, Duration delay, RetrySettings override) {
        HeldCall call = held.ofThread(state.callId());
        if (call == null) {
            store(subject, state, delay, override);
        } else {
            release(call, state, delay);
        }
    }

    private void store(CallSubject subject, CallState state, Duration delay, RetrySettings override) {
        RetriedMethod method = methods.find(subject.key());
        if (method == null) {
            throw new IllegalStateException("no bean has the method " + subject.key());
        }
        limits.add(method.lane());
        Entry entry = entry(method, subject.target(), subject.arguments(), state, delay, override);
        if (settings.joinCallers()) {
            transactions().joinSingle(() -> add(entry), settings.outboxApart());
        } else {
            transactions().writeSingle(() -> add(entry));
        }
    }

    private void release(HeldCall call, CallState state, Duration delay) {
        Instant due = now().plus(delay);
        call.outcome(new LaneGate.Outcome(false, delay));
        StoredCall next = call.call().after(state, delay);
        byte[] data = format.write(next);
        CallEngine.Label label = label(next);
        try {
            call.settle(
                    () -> call.lease().release(data, label, due),
                    refusal -> call.lease().release(format.write(next.withoutHistory()), label, due));
        } catch (LeaseLostException ex) {
            // Another process goes on with the call, so it is taken over all the same.
            lost(call, ex);
        }
        engine().wake(label.lane(), due);
    }

    /** The worker's call has succeeded, or is not needed any more. */
    @Override
    public void ended(String callId, @Nullable StopReason discarded) {
        HeldCall call = held.ofThread(callId);
        if (call == null) {
            return;
        }
        if (call.isRefused()) {
            // It has attempts left, and runs again when its lease expires.
            throw new IllegalStateException("the next attempt of call " + callId + " could not be stored");
        }
        call.ended(discarded);
        try {
            letterCalls.ended(call, discarded != null);
        } catch (LeaseLostException ex) {
            lost(call, ex);
        }
    }

    /**
     * The worker's call has failed for good. It stops waiting in the transaction in which it is kept, so that it is either a dead
     * letter or waits, and never both or neither.
     */
    @Override
    public void died(FailedCall call, DeadLetterQueue queue) throws Exception {
        HeldCall mine = held.ofThread(call.state().callId());
        if (mine == null) {
            queue.add(call);
            return;
        }
        mine.ended(call.reason());
        // As it was stored: attempts may have changed their arguments, and some calls have none that can be read.
        DeadLetter letter = DeadLetter.of(
                call, mine.bean(), mine.rawArguments(), LogTrace.currentId(), surroundings.traceParent(call), now());
        mine.settleTogether(() -> move(letter, mine), refusal -> move(WriteFailures.reduced(letter, refusal), mine));
        letterCalls.died(mine);
    }

    private void move(DeadLetter letter, HeldCall from) {
        letters.get().put(from.isReadable() ? letter : letterCalls.ofUnreadable(letter));
        from.lease().remove();
    }

    LetterCalls letterCalls() {
        return letterCalls;
    }

    private void lost(HeldCall call, LeaseLostException ex) {
        faults.report(
                ExtensionErrors.Kind.STORE,
                call.call().name(),
                "an attempt took longer than the lease of its call, so another process runs the call too",
                ex);
    }

    /**
     * Prepares a call that is to be stored before its first attempt.
     *
     * @param method the method
     * @param target what it was called on
     * @param values the arguments
     * @param override what is overridden for the call, possibly nothing
     * @return stores the call, in the transaction of its thread if there is one; throws RejectedExecutionException if too
     *     many calls wait, and other exceptions if the call could not be stored
     * @throws RuntimeException if the arguments can't be stored
     */
    Runnable first(RetriedMethod method, @Nullable Object target, @Nullable Object[] values, RetrySettings override) {
        Duration delay = initialDelay(method, override);
        CallState state = CallState.first(UUID.randomUUID().toString(), now().plus(delay));
        Entry entry = entry(method, target, values, state, delay, override);
        return () -> storeFirst(method, entry);
    }

    private void storeFirst(RetriedMethod method, Entry entry) {
        try {
            limits.add(method.lane());
            transactions().joinSingle(() -> add(entry), settings.outboxApart());
        } catch (RuntimeException ex) {
            faults.report(
                    ExtensionErrors.Kind.STORE,
                    method.name(),
                    "a call could not be stored, so it does not run, and its caller receives an error",
                    ex);
            throw ex;
        }
    }

    private static Duration initialDelay(RetriedMethod method, RetrySettings override) {
        Duration ofCall = override.get(Setting.INITIAL_DELAY);
        Duration delay = ofCall != null ? ofCall : method.settings().get(Setting.INITIAL_DELAY);
        return delay != null ? delay : Duration.ZERO;
    }

    /** A call as the engine gets it. */
    private static final class Entry {

        private final String id;

        private final byte[] data;

        private final CallEngine.Label label;

        private final Instant due;

        private final @Nullable String key;

        Entry(StoredCall call, CallEngine.Label label, byte[] data, Instant due, @Nullable String key) {
            this.id = call.state().callId();
            this.data = data;
            this.label = label;
            this.due = due;
            this.key = key;
        }
    }

    private Entry entry(
            RetriedMethod method,
            @Nullable Object target,
            @Nullable Object[] values,
            CallState state,
            Duration delay,
            RetrySettings override) {
        StoredCall call = new StoredCall(
                method.key().toString(),
                method.name(),
                methods.beanName(method.beanClass(), target),
                arguments.encode(method.beanClass(), method.method(), values),
                state,
                delay,
                override,
                surroundings.capture(new CallContexts.Call(
                        CallContexts.Form.DURABLE,
                        state.callId(),
                        method.name(),
                        method.key().toString(),
                        state.attempt())));
        return new Entry(call, label(call), format.write(call), now().plus(delay), keys.of(method, target, values));
    }

    /** Returns the label of a call. A call follows its method into another lane with its next attempt. */
    private CallEngine.Label label(StoredCall call) {
        RetriedMethod method = methods.find(call.key());
        return call.label(method == null ? Lanes.DEFAULT : method.lane());
    }

    /** Stores a call in the transaction of the thread. */
    void add(StoredCall call, Duration delay) {
        add(new Entry(call, label(call), format.write(call), now().plus(delay), null));
    }

    private void add(Entry entry) {
        CallEngine calls = engine();
        if (entry.key == null) {
            calls.add(entry.id, entry.data, entry.label, entry.due);
        } else if (!calls.addUnique(entry.key, entry.id, entry.data, entry.label, entry.due)) {
            keys.countDuplicate(entry.label.name());
            return;
        }
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            calls.wake(entry.label.lane(), entry.due);
            return;
        }
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                calls.wake(entry.label.lane(), entry.due);
            }
        });
    }
}
