// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.CallState;
import dev.retryon.CallSubject;
import dev.retryon.ExtensionErrorListener;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCallEvent;
import dev.retryon.durable.WhenBlocked;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.durable.internal.invocation.MethodHash;
import dev.retryon.durable.internal.invocation.StoredArguments;
import dev.retryon.durable.internal.invocation.StoredMethods;
import dev.retryon.durable.internal.invocation.Surroundings;
import dev.retryon.durable.internal.letter.DeadLetterOffice;
import dev.retryon.durable.internal.settings.DurableGroup;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.spring.ReturnStyle;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.HandoverBackend;
import dev.retryon.spring.module.LookUp;
import dev.retryon.spring.module.RetriedMethod;
import dev.retryon.spring.module.RetrySettings;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Stores the retries of calls whose first attempt has failed, and calls of {@code OUTBOX} methods. Thread-safe. */
public final class DurableCalls implements HandoverBackend {

    /** How much of a call is read for a line with its arguments. The names before the arguments are long. */
    private static final int ARGUMENT_START = 2000;

    private final Supplier<CallEngine> engine;

    private final DurableSettings settings;

    private final StoredCallFormat format;

    private final DeadLetterOffice.Parts parts;

    private final Runnable worker;

    private final BulkTasks tasks;

    private final WaitingLimits limits;

    private final CallKeys keys;

    /** The stored calls of which this process runs an attempt. */
    private final Set<LeasedCall> running = ConcurrentHashMap.newKeySet();

    private final Map<String, LaneGate> gates;

    /** The id of this process in the list of nodes. */
    private final String nodeId = UUID.randomUUID().toString();

    /**
     * Creates the object. The store is not opened before the first call is stored.
     *
     * @param worker starts the worker of this process, if it is not running
     * @param closing whether the application is shutting down, so bulk tasks must stop
     */
    public DurableCalls(
            Supplier<? extends CallEngine> engine,
            DeadLetterOffice.Parts parts,
            DurableSettings settings,
            Runnable worker,
            BooleanSupplier closing) {
        this.engine = new LookUp<>(engine);
        this.parts = parts;
        this.worker = worker;
        this.tasks = new BulkTasks(this, closing);
        this.settings = settings;
        this.format = new StoredCallFormat(settings.maxArgumentBytes());
        this.gates = settings.lanes().newGates();
        this.limits = new WaitingLimits(settings.lanes(), () -> engine().backlog(), parts.errors());
        this.keys = new CallKeys(parts.errors());
    }

    @Override
    public ReturnStyle storing(RetriedMethod method, @Nullable ReturnStyle later) {
        return new OutboxStyle(method, later, this, RetrySettings.NONE);
    }

    CallEngine engine() {
        return engine.get();
    }

    CallEngine.Transactions transactions() {
        return engine().transactions();
    }

    StoredMethods methods() {
        return parts.methods();
    }

    StoredArguments arguments() {
        return parts.arguments();
    }

    public CallStore store() {
        return parts.store().get();
    }

    Surroundings surroundings() {
        return parts.surroundings();
    }

    ExtensionErrors errors() {
        return parts.errors();
    }

    DurableSettings settings() {
        return settings;
    }

    StoredCallFormat format() {
        return format;
    }

    /** Returns a lane's gate, or the default lane's gate if the lane is unknown. */
    LaneGate gate(String lane) {
        return Objects.requireNonNull(gates.getOrDefault(lane, gates.get(Lanes.DEFAULT)));
    }

    Map<String, LaneGate> gates() {
        return gates;
    }

    String nodeId() {
        return nodeId;
    }

    /** Returns this process's thread pools, with the number of calls that each is running. */
    List<Pool> pools() {
        Map<String, Long> busy = running.stream()
                .collect(Collectors.groupingBy(
                        call -> settings.lanes().pool(call.lease().lane()), Collectors.counting()));
        return settings.lanes().pools().entrySet().stream()
                .map(pool ->
                        new Pool(pool.getKey(), pool.getValue(), Math.toIntExact(busy.getOrDefault(pool.getKey(), 0L))))
                .toList();
    }

    boolean runs(RetriedMethod method) {
        return settings.lanes().hasThreads(DurableGroup.lane(method));
    }

    /** Returns the age of the oldest attempt that this process is running, or zero if no attempt is running. */
    public Duration longestAttempt() {
        return Objects.requireNonNullElse(longest(running.stream()), Duration.ZERO);
    }

    /** Returns the age of a call's current attempt, or {@code null} if this process is not running one. */
    @Nullable Duration age(String callId) {
        return longest(running.stream().filter(call -> call.lease().id().equals(callId)));
    }

    private static @Nullable Duration longest(Stream<LeasedCall> calls) {
        return calls.map(LeasedCall::age).max(Comparator.naturalOrder()).orElse(null);
    }

    Set<LeasedCall> running() {
        return running;
    }

    /** Returns the waiting calls of all processes by lane of this process, or {@code null} if they cannot be counted. */
    public @Nullable Map<String, CallEngine.Backlog> backlog() {
        Map<String, CallEngine.Backlog> stored = limits.backlog();
        return stored == null ? null : settings.lanes().known(stored);
    }

    /**
     * Returns the waiting calls that no running process can run, because none has both the method and threads for it.
     *
     * @throws RuntimeException if the store cannot be read
     */
    public CallEngine.Backlog unresolved() {
        Set<String> known = Stream.concat(announced(), methods().callable(this::runs).stream())
                .map(line -> MethodHash.of(line.split(" ", 2)[0]))
                .collect(Collectors.toSet());
        known.add(MethodHash.UNKNOWN);
        return engine().backlog(method -> !known.contains(MethodHash.unmarked(method)));
    }

    /** Returns the lines that all running processes have announced, or none if calls are in memory. */
    Stream<String> announced() {
        return transactions() instanceof RetryStore database ? new NodeTable(database).announced("") : Stream.empty();
    }

    /** Returns the arguments of the given calls by their ids, each in one line. Only the beginning of each call is read. */
    public Map<String, String> argumentLines(List<String> ids) {
        Map<String, String> lines = new HashMap<>();
        for (CallStore.Start start : store().starts(ids, ARGUMENT_START)) {
            String line = argumentLine(start);
            if (line != null) {
                lines.put(start.id(), line);
            }
        }
        return lines;
    }

    private @Nullable String argumentLine(CallStore.Start start) {
        if (start.content() == null) {
            return start.method() == null ? null : argumentLine(start.method(), start.arguments());
        }
        StoredCallFormat.Start call = format.start(start.content());
        return call == null ? null : argumentLine(call.key(), call.arguments());
    }

    private @Nullable String argumentLine(String key, @Nullable String start) {
        return arguments().line(methods().find(key), start);
    }

    /** Returns the number of calls with the given name that were not stored because their key was already stored. */
    public long duplicates(String name) {
        return keys.duplicates(name);
    }

    Instant now() {
        return store().clock().instant();
    }

    /** Stores the retries of a call whose first attempt has failed. */
    @Override
    public void take(CallSubject subject, CallState state, Duration delay, RetrySettings override) {
        RetriedMethod method = methods().find(subject.key());
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

    /**
     * Prepares a call that is stored before its first attempt.
     *
     * @return an action that stores the call, in its thread's transaction if one is active; it throws
     *     RejectedExecutionException if too many calls wait, and other exceptions if the call could not be stored
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
            if (CallKeys.isOrdered(method)) {
                transactions().join(write, settings.outboxApart());
            } else {
                transactions().joinSingle(write, settings.outboxApart());
            }
        } catch (RuntimeException ex) {
            errors().report(
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
        CallContent call = new CallContent(
                methodKey,
                method.name(),
                methods().beanName(method.beanClass(), target),
                arguments().encode(method.beanClass(), method.method(), values),
                state,
                delay,
                override,
                surroundings()
                        .capture(new Surroundings.Call(
                                false, state.callId(), method.name(), methodKey, state.attempt())));
        String order = keys.order(method, target, values);
        String unique = order == null ? keys.unique(method, target, values) : null;
        String id = state.callId(); // the write does not reference the call itself
        CallEngine.Label label = label(call);
        byte[] data = format.write(call);
        Instant due = now().plus(delay);
        return () -> {
            if (order != null) {
                engine().addInOrder(order, id, data, label, due);
            } else if (!engine().add(unique, id, data, label, due)) {
                keys.countDuplicate(label.name());
                return;
            }
            wakeAfterCommit(label, due);
        };
    }

    /** Returns the label of a call. A call follows its method into another lane with its next attempt. */
    CallEngine.Label label(CallContent call) {
        return call.label(lane(call));
    }

    String lane(CallContent call) {
        RetriedMethod method = methods().find(call.key());
        return method == null ? Lanes.DEFAULT : DurableGroup.lane(method);
    }

    /** Stores the call of a dead letter, perhaps for a bulk task. Returns {@code false} if the letter is not dead. */
    boolean resend(CallContent call, String lane, Duration delay, StoredCall.Action action, @Nullable String task) {
        CallEngine.Label label = call.label(lane);
        String id = call.state().callId();
        Instant due = now().plus(delay);
        return transactions().write(() -> {
            boolean isDue = store().resend(action, id, format.write(call), label, due, task);
            if (isDue) {
                wakeAfterCommit(label, due);
            }
            return isDue;
        });
    }

    void startWorker() {
        worker.run();
    }

    BulkTasks tasks() {
        return tasks;
    }

    /** Lets the next call with a dead call's order key run, if the method continues after failures. Returns {@code true}. */
    boolean died(DeadLetter letter) {
        RetriedMethod method = methods().find(letter.method());
        if (method != null && method.settings().get(DurableGroup.WHEN_BLOCKED) == WhenBlocked.CONTINUE) {
            store().leaveOrder(letter.id());
        }
        return true;
    }

    StoredCall.Action action(StoredCall.Action.What what, @Nullable String by, @Nullable String detail) {
        return new StoredCall.Action(now().truncatedTo(ChronoUnit.MILLIS), by, what, detail);
    }

    /** Publishes an event about a call that has died. If a listener fails, the error is only reported. */
    void publish(String id, String name, StoredCall.Action action) {
        try {
            parts.events().publishEvent(new StoredCallEvent(id, name, action));
        } catch (Throwable ex) {
            errors().report(
                            ExtensionErrorListener.Kind.LISTENER,
                            name,
                            "an @EventListener for events of stored calls threw an exception; processing continues",
                            ex);
        }
    }

    public List<Lane> lanes() {
        Map<String, CallEngine.Backlog> waiting = settings.lanes().known(engine().backlog());
        Instant now = now();
        return LaneState.all(this).entrySet().stream()
                .map(state -> lane(
                        state.getKey(),
                        state.getValue(),
                        waiting.getOrDefault(state.getKey(), CallEngine.Backlog.NONE),
                        now))
                .toList();
    }

    private Lane lane(String name, LaneState state, CallEngine.Backlog calls, Instant now) {
        return new Lane(
                name,
                calls.waiting(),
                calls.lag(now).truncatedTo(ChronoUnit.MILLIS),
                state.label(),
                gate(name).maxPerSecond());
    }

    /** Returns the processes of this application, the living ones first, or {@code null} if calls are in memory. */
    public @Nullable List<Node> nodes() {
        return transactions() instanceof RetryStore database ? new NodeTable(database).all(nodeId()) : null;
    }

    /**
     * A process of this application.
     *
     * @param node the host and the process id
     * @param version the version of the application; {@code null} if it is unknown
     * @param alive whether the process has been seen recently
     * @param threads the number of threads for stored calls
     * @param busy the number of these threads that were running calls when the process was last seen
     * @param lastSeen when the process last confirmed that it is alive, by the database's clock
     */
    public record Node(
            String node,
            @Nullable String version,
            boolean thisNode,
            boolean alive,
            int threads,
            int busy,
            List<Pool> lanes,
            Instant startedAt,
            Instant lastSeen) {}

    /** The threads of a process for a lane. The default lane's threads run the calls of lanes without their own threads. */
    public record Pool(String lane, int threads, int busy) {}

    /** A lane, with the waiting calls of all processes and the time for which the first of them has been due, or zero. */
    public record Lane(
            String lane,
            long waiting,
            Duration lag,
            String state,
            @Nullable Double maxPerSecond) {}

    void wakeAfterCommit(CallEngine.Label label, Instant due) {
        CallEngine calls = engine();
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            calls.wake(label, due);
            return;
        }
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                calls.wake(label, due);
            }
        });
    }
}
