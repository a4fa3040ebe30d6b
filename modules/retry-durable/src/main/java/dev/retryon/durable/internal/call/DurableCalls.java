// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.CallState;
import dev.retryon.CallSubject;
import dev.retryon.ExtensionErrorListener;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.DeadLetterStore;
import dev.retryon.durable.internal.letter.DeadLetterOffice;
import dev.retryon.durable.internal.letter.Resending;
import dev.retryon.durable.internal.settings.DurableGroup;
import dev.retryon.durable.internal.stored.StoredArguments;
import dev.retryon.durable.internal.stored.StoredMethods;
import dev.retryon.durable.internal.stored.Surroundings;
import dev.retryon.spring.ReturnStyle;
import dev.retryon.spring.internal.expression.RetryExpressions;
import dev.retryon.spring.internal.policy.HandoverBackend;
import dev.retryon.spring.internal.policy.RetriedMethod;
import dev.retryon.spring.internal.report.ExtensionErrors;
import dev.retryon.spring.internal.settings.LookUp;
import dev.retryon.spring.internal.settings.RetrySettings;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Stores calls that run later: the retries of calls whose first attempt has failed, and calls of {@code OUTBOX} methods.
 * Thread-safe.
 */
public final class DurableCalls implements HandoverBackend {

    private final Supplier<CallEngine> engine;

    private final StoredMethods methods;

    private final StoredArguments arguments;

    private final Supplier<DeadLetterStore> letters;

    private final Surroundings surroundings;

    private final ExtensionErrors errors;

    private final DurableSettings settings;

    private final StoredCallFormat format;

    private final LetterCalls letterCalls;

    private final WaitingLimits limits;

    private final UniqueKeys keys;

    /** The stored calls of which this process runs an attempt. */
    private final Set<HeldCall> running = ConcurrentHashMap.newKeySet();

    private final Map<String, LaneGate> gates;

    /**
     * Creates it. Nothing is opened before the first call is stored.
     *
     * @param worker starts the worker of this process, if it is not running
     */
    public DurableCalls(
            Supplier<? extends CallEngine> engine,
            DeadLetterOffice.Parts parts,
            DurableSettings settings,
            RetryExpressions expressions,
            Runnable worker) {
        this.engine = new LookUp<>(engine);
        this.methods = parts.methods();
        this.arguments = parts.arguments();
        this.letters = parts.store();
        this.surroundings = parts.surroundings();
        this.errors = parts.errors();
        this.settings = settings;
        this.format = new StoredCallFormat(settings.maxArgumentBytes());
        this.gates = settings.lanes().newGates();
        this.limits = new WaitingLimits(settings.lanes(), () -> engine().backlog(), errors);
        this.keys = new UniqueKeys(expressions, errors);
        this.letterCalls = new LetterCalls(this, parts.events(), worker);
    }

    @Override
    public ReturnStyle storing(RetriedMethod method, @Nullable ReturnStyle later) {
        return new OutboxStyle(method, later, this, RetrySettings.NONE);
    }

    /** Stores the calls of dead letters. */
    public Resending resending() {
        return letterCalls;
    }

    CallEngine engine() {
        return engine.get();
    }

    CallEngine.Transactions transactions() {
        return engine().transactions();
    }

    StoredMethods methods() {
        return methods;
    }

    StoredArguments arguments() {
        return arguments;
    }

    Supplier<DeadLetterStore> letters() {
        return letters;
    }

    Surroundings surroundings() {
        return surroundings;
    }

    ExtensionErrors errors() {
        return errors;
    }

    DurableSettings settings() {
        return settings;
    }

    StoredCallFormat format() {
        return format;
    }

    /** Returns the gate of a lane; that of the default lane if the lane is unknown. */
    LaneGate gate(String lane) {
        return Objects.requireNonNull(gates.getOrDefault(lane, gates.get(Lanes.DEFAULT)));
    }

    Map<String, LaneGate> gates() {
        return gates;
    }

    boolean runs(RetriedMethod method) {
        return settings.lanes().hasThreads(DurableGroup.lane(method));
    }

    /** Returns the age of the oldest attempt that this process runs; zero if it runs none. */
    public Duration longestAttempt() {
        return Objects.requireNonNullElse(longest(running.stream()), Duration.ZERO);
    }

    /** Returns the age of the attempt of a call; {@code null} if this process runs none. */
    @Nullable Duration age(String callId) {
        return longest(running.stream().filter(call -> call.lease().id().equals(callId)));
    }

    private static @Nullable Duration longest(Stream<HeldCall> calls) {
        return calls.map(HeldCall::age).max(Comparator.naturalOrder()).orElse(null);
    }

    Set<HeldCall> running() {
        return running;
    }

    /** Returns the waiting calls of all processes by lane; {@code null} if they can't be counted. */
    public @Nullable Map<String, CallEngine.Backlog> backlog() {
        return limits.backlog();
    }

    /** Returns how many calls of methods with a name were not stored, because a call with their key was. */
    public long duplicates(String name) {
        return keys.duplicates(name);
    }

    Instant now() {
        return engine().clock().instant();
    }

    /** Stores the retries of a call whose first attempt has failed. */
    @Override
    public void take(CallSubject subject, CallState state, Duration delay, RetrySettings override) {
        RetriedMethod method = methods.find(subject.key());
        if (method == null) {
            throw new IllegalStateException("no bean has the method " + subject.key());
        }
        limits.add(DurableGroup.lane(method));
        Runnable write = prepared(method, subject.target(), subject.arguments(), state, delay, override);
        if (settings.joinCallers()) {
            transactions().joinSingle(write, settings.outboxApart());
        } else {
            transactions().writeSingle(write);
        }
    }

    LetterCalls letterCalls() {
        return letterCalls;
    }

    /**
     * Prepares a call that is stored before its first attempt.
     *
     * @return stores the call, in the transaction of its thread if there is one; throws RejectedExecutionException if too
     *     many calls wait, and other exceptions if the call could not be stored
     */
    Runnable first(RetriedMethod method, @Nullable Object target, @Nullable Object[] values, RetrySettings override) {
        Duration delay = initialDelay(method, override);
        CallState state = CallState.first(UUID.randomUUID().toString(), now().plus(delay));
        Runnable write = prepared(method, target, values, state, delay, override);
        return () -> storeFirst(method, write);
    }

    private void storeFirst(RetriedMethod method, Runnable write) {
        try {
            limits.add(DurableGroup.lane(method));
            transactions().joinSingle(write, settings.outboxApart());
        } catch (RuntimeException ex) {
            errors.report(
                    ExtensionErrorListener.Kind.STORE,
                    method.name(),
                    "a call could not be stored, so it does not run, and its caller receives an error",
                    ex);
            throw ex;
        }
    }

    private static Duration initialDelay(RetriedMethod method, RetrySettings override) {
        Duration ofCall = override.get(DurableGroup.INITIAL_DELAY);
        Duration delay = ofCall != null ? ofCall : method.settings().get(DurableGroup.INITIAL_DELAY);
        return delay != null ? delay : Duration.ZERO;
    }

    /** Encodes a call, and returns the write that stores it in the transaction of the thread. */
    private Runnable prepared(
            RetriedMethod method,
            @Nullable Object target,
            @Nullable Object[] values,
            CallState state,
            Duration delay,
            RetrySettings override) {
        String methodKey = method.key().toString();
        StoredCall call = new StoredCall(
                methodKey,
                method.name(),
                methods.beanName(method.beanClass(), target),
                arguments.encode(method.beanClass(), method.method(), values),
                state,
                delay,
                override,
                surroundings.capture(
                        new Surroundings.Call(false, state.callId(), method.name(), methodKey, state.attempt())));
        return prepared(call, delay, keys.of(method, target, values));
    }

    private Runnable prepared(StoredCall call, Duration delay, @Nullable String key) {
        String id = call.state().callId(); // the write does not keep the call itself
        CallEngine.Label label = label(call);
        byte[] data = format.write(call);
        Instant due = now().plus(delay);
        return () -> add(key, id, data, label, due);
    }

    /** Returns the label of a call. A call follows its method into another lane with its next attempt. */
    CallEngine.Label label(StoredCall call) {
        RetriedMethod method = methods.find(call.key());
        return call.label(method == null ? Lanes.DEFAULT : DurableGroup.lane(method));
    }

    /** Stores the call of a dead letter in the transaction of the thread; returns {@code false} if it is not dead. */
    boolean resend(StoredCall call, Duration delay, DeadLetter.Action action) {
        CallEngine.Label label = label(call);
        Instant due = now().plus(delay);
        boolean done = engine().resend(action, call.state().callId(), format.write(call), label, due);
        if (done) {
            wakeAfterCommit(label.lane(), due);
        }
        return done;
    }

    private void add(@Nullable String key, String id, byte[] data, CallEngine.Label label, Instant due) {
        if (!engine().add(key, id, data, label, due)) {
            keys.countDuplicate(label.name());
            return;
        }
        wakeAfterCommit(label.lane(), due);
    }

    void wakeAfterCommit(String lane, Instant due) {
        CallEngine calls = engine();
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            calls.wake(lane, due);
            return;
        }
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                calls.wake(lane, due);
            }
        });
    }
}
