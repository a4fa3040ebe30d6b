// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.CallSubject;
import dev.retryon.ExtensionErrorListener;
import dev.retryon.Retry;
import dev.retryon.RetryBuilder;
import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicy;
import dev.retryon.backoff.DurationText;
import dev.retryon.durable.LeaseExpiredException;
import dev.retryon.durable.UnresolvableCallException;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallLease;
import dev.retryon.durable.internal.settings.DurableGroup;
import dev.retryon.durable.internal.stored.StoredMethods;
import dev.retryon.durable.internal.stored.Surroundings;
import dev.retryon.spring.internal.policy.RetriedMethod;
import dev.retryon.spring.internal.report.ExtensionErrors;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Runs one attempt of a stored call each time that the call is due. The engine decides about its result as for any other
 * call, and the {@link HeldCall} stores it. Never throws. Thread-safe.
 */
final class CallWorker implements Consumer<CallLease> {

    /** The number of times that a call is read before it is given up because no process has its method. */
    private static final int LOOKS = 20;

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(15);

    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(200);

    /** The time until calls of a paused method are looked for again. */
    private static final Duration PAUSED_LOOK = Duration.ofSeconds(1);

    /** The same, if the engine can't skip calls, so that each of them is read and postponed. */
    private static final Duration PAUSED_CALL_LOOK = Duration.ofSeconds(5);

    private final DurableCalls calls;

    private final RetryEngine engine;

    private final StoredMethods methods;

    private final ExtensionErrors errors;

    /** {@code null} if calls are in memory. */
    private final @Nullable LiveNodes nodes;

    private volatile boolean stopped;

    CallWorker(DurableCalls calls, RetryEngine engine, @Nullable LiveNodes nodes) {
        this.calls = calls;
        this.engine = engine;
        this.methods = calls.methods();
        this.errors = calls.errors();
        this.nodes = nodes;
    }

    /** Lets attempts that end from now on no longer wait for the database, because the application has ended. */
    void stop() {
        stopped = true;
    }

    @Override
    public void accept(CallLease lease) {
        try {
            work(lease);
        } catch (Throwable ex) {
            errors.report(
                    ExtensionErrorListener.Kind.STORE,
                    "stored calls",
                    "the worker failed while it ran a call, outside the retried method; the call runs again"
                            + " when its lease expires",
                    ex);
        }
    }

    private void work(CallLease lease) throws Throwable {
        byte[] data = lease.call();
        StoredCall call;
        try {
            call = calls.format().read(data);
            if (!call.state().callId().equals(lease.id())) {
                throw new IllegalArgumentException("its content has the id of another call, "
                        + call.state().callId());
            }
        } catch (StoredCallFormat.NewerException ex) {
            postpone(unreadable(lease), ex.readers(), ex.getMessage(), null);
            return;
        } catch (IllegalArgumentException ex) {
            giveUp(unreadable(lease), "stored call " + lease.id() + " is refused: " + ex.getMessage(), ex);
            return;
        }
        HeldCall held = held(lease, call);
        RetriedMethod method = methods.find(call.key());
        Object bean = method == null ? null : methods.bean(method, call.bean());
        if (method == null || bean == null) {
            postpone(
                    held,
                    StoredMethods.callable(call.key(), call.bean()),
                    method == null ? "no bean has the method " + call.key() : "there is no bean for " + call.key(),
                    null);
            return;
        }
        if (method.isSwitchedOff() && call.state().attempt() > 0) {
            // An operator has switched the retries off for a while, and the call can wait.
            held.settle(() -> lease.postpone(data, calls.now().plus(LONGEST_PAUSE)));
            return;
        }
        if (DurableGroup.isPaused(method)) {
            held.settle(() -> lease.postpone(data, skipPaused(method)));
            return;
        }
        @Nullable Object[] values;
        try {
            values = calls.arguments().decode(method.beanClass(), method.method(), call.arguments());
        } catch (IllegalArgumentException ex) {
            postpone(held, Set.of(), String.valueOf(ex.getMessage()), ex);
            return;
        }
        if (lease.isRevived()) {
            attempt(held, method, bean, values); // which is only counted
        } else {
            pass(calls.gate(DurableGroup.lane(method)), held, method, bean, values);
        }
    }

    /** Runs an attempt if the gate of the lane lets it start. If not, the call is stored again without an attempt. */
    private void pass(LaneGate gate, HeldCall held, RetriedMethod method, Object bean, @Nullable Object[] values)
            throws Throwable {
        CallLease lease = held.lease();
        Duration wait = gate.enter(lease.id());
        if (!wait.isZero()) {
            // The call keeps its place in the lane, whose calls are not looked for until then.
            Instant due = calls.engine().skipLane(DurableGroup.lane(method), wait)
                    ? lease.due()
                    : calls.now().plus(wait);
            CallEngine.Label label = held.call().label(DurableGroup.lane(method));
            held.settle(() -> lease.release(lease.call(), label, due));
            return;
        }
        try {
            skip(gate, DurableGroup.lane(method), false);
            attempt(held, method, bean, values);
        } finally {
            skip(gate, DurableGroup.lane(method), gate.leave(lease.id(), held.outcome()));
        }
    }

    /** Looks for no calls of the lane while its gate lets none start; looks immediately if it has just been opened. */
    private void skip(LaneGate gate, String lane, boolean wasClosed) {
        Duration wait = gate.closedFor();
        if (wasClosed || !wait.isZero()) {
            calls.engine().skipLane(lane, wait);
        }
    }

    /** Stops looking for calls of a paused method, or of its whole lane, for a short time. Returns the new due time. */
    private Instant skipPaused(RetriedMethod method) {
        Instant now = calls.now();
        if (methods.all(
                DurableGroup::isPaused, other -> DurableGroup.lane(other).equals(DurableGroup.lane(method)))) {
            calls.engine().skipLane(DurableGroup.lane(method), PAUSED_LOOK);
        }
        boolean skips =
                methods.all(DurableGroup::isPaused, other -> other.name().equals(method.name()))
                        && calls.engine().skip(method.name(), PAUSED_LOOK);
        return skips ? now : now.plus(PAUSED_CALL_LOOK);
    }

    private HeldCall unreadable(CallLease lease) {
        return held(lease, StoredCall.unreadable(lease.id(), calls.format().raw(lease.call()), calls.now()));
    }

    private HeldCall held(CallLease lease, StoredCall call) {
        return new HeldCall(lease, call, calls, () -> stopped);
    }

    /** Runs an attempt, or counts the one that was lost with the previous lease. */
    private void attempt(HeldCall held, RetriedMethod method, Object bean, @Nullable Object[] values) throws Throwable {
        StoredCall call = held.call();
        Duration limit = calls.settings().attemptTimeout(method, call.override());
        UnaryOperator<Retry> resumption = retry -> resumed(
                handingOver(overridden(retry, method, call), held, limit).build(), held);
        // Nothing is prepared for an attempt that is only counted.
        UnaryOperator<Retry> uncalled = retry -> resumed(
                handingOver(overridden(retry, method, call), held, null)
                        .beforeRetry((subject, context) -> {})
                        .build(),
                held);
        Surroundings.Scope scope = surroundings(call);
        Throwable error = null;
        calls.running().add(held);
        try (scope) {
            if (held.lease().isRevived()) {
                LeaseExpiredException expired =
                        new LeaseExpiredException(held.lease().id());
                methods.fail(method, bean, values, uncalled, expired);
                return;
            }
            try {
                methods.call(method, bean, values, resumption);
            } catch (StoredMethods.NotReachedException ex) {
                methods.fail(method, bean, values, uncalled, ex.reason());
            }
        } catch (Throwable ex) {
            error = ex;
            if (!held.isSettled()) {
                throw ex;
            }
            // The error of the call, which events and the dead letter have recorded.
        } finally {
            calls.running().remove(held);
            scope.end(error);
        }
        if (!held.isSettled()) {
            throw new IllegalStateException("the result of call " + held.lease() + " could not be stored");
        }
    }

    /** Applies the settings that were overridden for the call, unless they contradict those of the method by now. */
    private Retry overridden(Retry retry, RetriedMethod method, StoredCall call) {
        if (call.override().isEmpty()) {
            return retry;
        }
        try {
            return methods.retry(method, call.override());
        } catch (IllegalArgumentException ex) {
            errors.report(
                    ExtensionErrorListener.Kind.CONFIGURATION,
                    method.name(),
                    "the settings that Retries.with stored with a call are not valid for the method any more;"
                            + " the call runs without them",
                    ex);
            return retry;
        }
    }

    /**
     * Returns a retry that hands its result to a held call, even if the method is no longer durable.
     *
     * @param limit the limit of an attempt unless the retry has one, because an attempt must not occupy a worker forever
     */
    private static RetryBuilder handingOver(Retry retry, HeldCall held, @Nullable Duration limit) {
        RetryPolicy policy = retry.policy();
        if (limit != null && policy.attemptTimeout() == null) {
            policy = policy.toBuilder().attemptTimeout(limit).build();
        }
        RetryBuilder handing = retry.toBuilder(policy).handOver(held);
        // No caller receives the value of a recovery, and the dead letter must not lose its error.
        return held.call().isOfDeadLetter() ? handing.withoutRecovery() : handing;
    }

    private static Retry resumed(Retry retry, HeldCall held) {
        return retry.resume(held.call().state(), held.call().delay(), held.lease()::isValid);
    }

    private Surroundings.Scope surroundings(StoredCall call) {
        return calls.surroundings()
                .restore(
                        new Surroundings.Call(
                                false,
                                call.state().callId(),
                                call.name(),
                                call.key(),
                                call.state().attempt() + 1),
                        call.context());
    }

    /**
     * Leaves a call to other processes, which may run a newer version of the application. It is given up once it has waited
     * without any running process that can run it.
     *
     * @param needed what a process must announce to be able to run the call
     * @param cause why the arguments do not fit, which no process announces; {@code null} if that is not the reason
     */
    private void postpone(
            HeldCall held, Set<String> needed, @Nullable String why, @Nullable IllegalArgumentException cause) {
        byte[] data = held.lease().call();
        Instant now = calls.now();
        // Two marks, because processes without the method renew theirs while another process has the method.
        StoredCallFormat.Mark mark = cause == null ? StoredCallFormat.Mark.UNRESOLVED : StoredCallFormat.Mark.UNFIT;
        Instant since = calls.format().markedSince(data, mark);
        if (since != null && since.isAfter(now)) {
            since = null; // by a clock that was ahead, or manually
        }
        if (cause == null && othersKnow(needed)) {
            byte[] marked = calls.format().marked(data, mark, now);
            Instant due = skip(held) ? now : now.plus(LONGEST_PAUSE);
            held.settle(() -> held.lease().postpone(marked, due));
            return;
        }
        Duration patience = calls.settings().unresolvedAfter();
        if (since != null && Duration.between(since, now).compareTo(patience) >= 0) {
            giveUp(held, "call " + held.lease().id() + " can't run: " + why + ", since " + since, cause);
            return;
        }
        if (since == null && cause != null) {
            errors.report(
                    ExtensionErrorListener.Kind.STORE,
                    held.call().name(),
                    "the stored arguments of a call do not match the method in this process; the call waits"
                            + " for a process with a matching version, and becomes a dead letter after "
                            + DurationText.print(patience),
                    cause);
        }
        byte[] marked = since != null ? data : calls.format().marked(data, mark, now);
        held.settle(() -> held.lease().postpone(marked, now.plus(pause(patience))));
    }

    /** Returns {@code true} if the store does not answer, because another process may be able to run the call. */
    private boolean othersKnow(Set<String> needed) {
        try {
            return nodes != null && nodes.othersKnow(needed);
        } catch (RuntimeException ex) {
            errors.report(
                    ExtensionErrorListener.Kind.STORE,
                    "stored calls",
                    "the methods of other processes could not be read; calls of unknown methods wait",
                    ex);
            return true;
        }
    }

    /** Looks for no calls of this name for a while, unless some of them can be run here. */
    private boolean skip(HeldCall held) {
        if (!held.call().isReadable() || methods.hasName(held.call().name())) {
            return false;
        }
        return calls.engine().skip(held.call().name(), LONGEST_PAUSE);
    }

    private static Duration pause(Duration patience) {
        Duration pause = patience.dividedBy(LOOKS);
        if (pause.compareTo(LONGEST_PAUSE) > 0) {
            return LONGEST_PAUSE;
        }
        return pause.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : pause;
    }

    private void giveUp(HeldCall held, String why, @Nullable Throwable cause) {
        StoredCall call = held.call();
        RetryBuilder retry =
                Retry.builder(call.name(), RetryPolicy.builder().build()).engine(engine);
        UnresolvableCallException error = new UnresolvableCallException(why, cause);
        Surroundings.Scope scope = surroundings(call);
        calls.running().add(held);
        try (scope) {
            resumed(retry.handOver(held).build(), held).giveUp(CallSubject.of(call.key(), null), error);
        } finally {
            calls.running().remove(held);
            scope.end(error);
        }
    }
}
