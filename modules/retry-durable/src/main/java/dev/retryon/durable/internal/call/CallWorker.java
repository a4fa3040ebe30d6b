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
import dev.retryon.durable.internal.invocation.MethodHash;
import dev.retryon.durable.internal.invocation.StoredMethods;
import dev.retryon.durable.internal.invocation.Surroundings;
import dev.retryon.durable.internal.settings.DurableGroup;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.RetriedMethod;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Decides which calls can start in this process, and runs one attempt of each. The engine decides about the attempt's result
 * as for any other call, and the {@link LeasedCall} stores the result. Never throws exceptions. Thread-safe.
 */
final class CallWorker implements CallEngine.Worker {

    /** How often a call that this version of the application cannot read is checked before it is given up. */
    private static final int LOOKS = 20;

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(15);

    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(200);

    /** The time until a call is checked again if its method currently does not retry. */
    private static final Duration SWITCHED_OFF_PAUSE = Duration.ofSeconds(15);

    private final DurableCalls calls;

    private final RetryEngine engine;

    private final StoredMethods methods;

    private final ExtensionErrors errors;

    /** {@code null} if calls are in memory. */
    private final @Nullable LiveNodes nodes;

    /** The mark that this version of the application adds to calls that it cannot read. */
    private final String mark;

    private volatile boolean stopped;

    CallWorker(DurableCalls calls, RetryEngine engine, @Nullable LiveNodes nodes) {
        this.calls = calls;
        this.engine = engine;
        this.methods = calls.methods();
        this.errors = calls.errors();
        this.nodes = nodes;
        this.mark = MethodHash.mark(calls.settings().version());
        calls.gates().values().forEach(LaneGate::reset);
    }

    /** Prevents attempts that end from now on from waiting for the database, because the application has ended. */
    void stop() {
        stopped = true;
    }

    @Override
    public @Nullable Duration delay(String method) {
        String hash = MethodHash.unmarked(method);
        RetriedMethod known = methods.findHashed(hash);
        if (known == null ? !hash.isEmpty() : DurableGroup.isPaused(known)) {
            return null;
        }
        return MethodHash.isMarked(method, mark) ? pause() : Duration.ZERO;
    }

    /** Returns the pause between checks of an unreadable call, because another build can have the same version. */
    private Duration pause() {
        Duration pause = calls.settings().unresolvedAfter().dividedBy(LOOKS);
        if (pause.compareTo(LONGEST_PAUSE) > 0) {
            return LONGEST_PAUSE;
        }
        return pause.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : pause;
    }

    @Override
    public Duration closedFor(String lane) {
        return calls.gate(lane).closedFor();
    }

    @Override
    public boolean enter(String lane, String id) {
        return calls.gate(lane).enter(id).isZero();
    }

    @Override
    public void cancel(String lane, String id) {
        calls.gate(lane).cancel(id);
    }

    @Override
    public void accept(CallLease lease) {
        LaneGate.Outcome outcome = null;
        try {
            LeasedCall leased = read(lease);
            try {
                work(leased);
            } finally {
                outcome = lease.isRevived() ? null : leased.outcome();
            }
        } catch (Throwable ex) {
            errors.report(
                    ExtensionErrorListener.Kind.STORE,
                    "stored calls",
                    "the worker failed while it ran a call, outside the retried method; the call runs again"
                            + " when its lease expires",
                    ex);
        } finally {
            LaneGate gate = calls.gate(lease.lane());
            if (gate.leave(lease.id(), outcome)) {
                calls.engine().wake(lease.lane(), calls.now().plus(gate.closedFor()));
            }
        }
    }

    /** Returns the call. If its content is not a call, the call becomes a dead letter. */
    private LeasedCall read(CallLease lease) {
        try {
            CallContent call = calls.format().read(lease.call());
            if (!call.state().callId().equals(lease.id())) {
                throw new IllegalArgumentException("its content has the id of another call, "
                        + call.state().callId());
            }
            return leased(lease, call);
        } catch (StoredCallFormat.NewerException ex) {
            LeasedCall leased = unreadable(lease);
            giveBack(leased, ex.readers(), String.valueOf(ex.getMessage()), null);
            return leased;
        } catch (IllegalArgumentException ex) {
            LeasedCall leased = unreadable(lease);
            giveUp(leased, "stored call " + lease.id() + " is rejected: " + ex.getMessage(), ex);
            return leased;
        }
    }

    private void work(LeasedCall leased) throws Throwable {
        CallLease lease = leased.lease();
        CallContent call = leased.call();
        if (!call.isReadable()) {
            return;
        }
        String hash = MethodHash.of(call.key());
        RetriedMethod method = methods.find(call.key());
        if (method == null || (DurableGroup.isPaused(method) && !lease.method().startsWith(hash))) {
            // The row does not name the method of the call.
            leased.settle(() -> lease.postpone(hash, null, lease.due()));
            return;
        }
        if (method.isSwitchedOff() && call.state().attempt() > 0) {
            // An operator has temporarily switched the retries off, and the call can wait.
            leased.settle(() -> lease.postpone(
                    lease.method(), lease.unfitSince(), calls.now().plus(SWITCHED_OFF_PAUSE)));
            return;
        }
        Object bean = methods.bean(method, call.bean());
        if (bean == null) {
            Set<String> needed = StoredMethods.callable(call.key(), call.bean());
            giveBack(leased, needed, "no bean exists for " + call.key(), null);
            return;
        }
        @Nullable Object[] values;
        try {
            values = calls.arguments().decode(method.beanClass(), method.method(), call.arguments());
        } catch (IllegalArgumentException ex) {
            giveBack(leased, Set.of(), String.valueOf(ex.getMessage()), ex);
            return;
        }
        attempt(leased, method, bean, values);
    }

    private LeasedCall unreadable(CallLease lease) {
        return leased(lease, CallContent.unreadable(lease.id(), calls.format().raw(lease.call()), calls.now()));
    }

    private LeasedCall leased(CallLease lease, CallContent call) {
        return new LeasedCall(lease, call, calls, () -> stopped);
    }

    /** Runs an attempt, or counts the attempt that was lost with the previous lease. */
    private void attempt(LeasedCall leased, RetriedMethod method, Object bean, @Nullable Object[] values)
            throws Throwable {
        CallContent call = leased.call();
        Duration limit = calls.settings().attemptTimeout(method, call.override());
        UnaryOperator<Retry> resumption = retry -> resumed(
                handingOver(overridden(retry, method, call), leased, limit).build(), leased);
        // An attempt that is only counted needs no preparation.
        UnaryOperator<Retry> uncalled = retry -> resumed(
                handingOver(overridden(retry, method, call), leased, null)
                        .beforeRetry((subject, context) -> {})
                        .build(),
                leased);
        Surroundings.Scope scope = surroundings(call);
        Throwable error = null;
        calls.running().add(leased);
        try (scope) {
            if (leased.lease().isRevived()) {
                LeaseExpiredException expired =
                        new LeaseExpiredException(leased.lease().id());
                methods.fail(method, bean, values, uncalled, expired);
                return;
            }
            methods.call(method, bean, values, resumption, uncalled);
        } catch (Throwable ex) {
            error = ex;
            if (!leased.isSettled()) {
                throw ex;
            }
            // The error of the call, which events and the dead letter have already recorded.
        } finally {
            calls.running().remove(leased);
            scope.end(error);
        }
        if (!leased.isSettled()) {
            throw new IllegalStateException("the result of call " + leased.lease() + " could not be stored");
        }
    }

    /** Applies the settings that were overridden for the call, unless they now contradict the method's settings. */
    private Retry overridden(Retry retry, RetriedMethod method, CallContent call) {
        if (call.override().isEmpty()) {
            return retry;
        }
        try {
            return method.override(call.override());
        } catch (IllegalArgumentException ex) {
            errors.report(
                    ExtensionErrorListener.Kind.CONFIGURATION,
                    method.name(),
                    "the settings that Retries.with stored with a call are no longer valid for the method;"
                            + " the call runs without them",
                    ex);
            return retry;
        }
    }

    /**
     * Returns a retry that hands its result to a leased call, even if the method is no longer durable. The limit
     * applies if the retry has none, because an attempt must not occupy a worker forever.
     */
    private static RetryBuilder handingOver(Retry retry, LeasedCall leased, @Nullable Duration limit) {
        RetryPolicy policy = retry.policy();
        if (limit != null && policy.attemptTimeout() == null) {
            policy = policy.toBuilder().attemptTimeout(limit).build();
        }
        RetryBuilder handing = retry.toBuilder(policy).handOver(leased);
        // No caller receives the value of a recovery, and the dead letter must not lose its error.
        return leased.call().isOfDeadLetter() ? handing.withoutRecovery() : handing;
    }

    private static Retry resumed(Retry retry, LeasedCall leased) {
        return retry.resume(leased.call().state(), leased.call().delay(), leased.lease()::isValid);
    }

    private Surroundings.Scope surroundings(CallContent call) {
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
     * Leaves a call to other versions of the application, because this version cannot run its content. The call is
     * given up after it has waited for the configured time without any running process that can run it.
     *
     * @param needed the line that a process announces if it can run the call
     * @param cause why the arguments do not fit, which no process announces; {@code null} for another reason
     */
    private void giveBack(LeasedCall leased, Set<String> needed, String why, @Nullable IllegalArgumentException cause) {
        CallLease lease = leased.lease();
        Instant now = calls.now();
        Instant known = lease.unfitSince();
        // Not if the time comes from a clock that was ahead.
        Instant since = known == null || known.isAfter(now) ? now : known;
        Duration patience = calls.settings().unresolvedAfter();
        if (since.isBefore(now)
                && Duration.between(since, now).compareTo(patience) >= 0
                && (cause != null || !othersKnow(needed))) {
            giveUp(leased, "call " + lease.id() + " cannot run: " + why + ", since " + since, cause);
            return;
        }
        if (since.equals(now) && cause != null) {
            errors.report(
                    ExtensionErrorListener.Kind.STORE,
                    leased.call().name(),
                    "the stored arguments of a call do not match the method in this process; the call waits"
                            + " for a process with a matching version, and becomes a dead letter after "
                            + DurationText.print(patience),
                    cause);
        }
        String hash =
                leased.call().isReadable() ? MethodHash.of(leased.call().key()) : MethodHash.unmarked(lease.method());
        leased.settle(() -> lease.postpone(MethodHash.marked(hash, lease.method(), mark), since, now));
    }

    /** Returns whether other processes can run the call, or might be able to because the store does not respond. */
    private boolean othersKnow(Set<String> needed) {
        try {
            return nodes != null && nodes.othersKnow(needed);
        } catch (RuntimeException ex) {
            errors.report(
                    ExtensionErrorListener.Kind.STORE,
                    "stored calls",
                    "the methods of other processes could not be read, so calls remain stored if this process"
                            + " cannot run them",
                    ex);
            return true;
        }
    }

    private void giveUp(LeasedCall leased, String why, @Nullable Throwable cause) {
        CallContent call = leased.call();
        RetryBuilder retry =
                Retry.builder(call.name(), RetryPolicy.builder().build()).engine(engine);
        UnresolvableCallException error = new UnresolvableCallException(why, cause);
        Surroundings.Scope scope = surroundings(call);
        calls.running().add(leased);
        try (scope) {
            resumed(retry.handOver(leased).build(), leased).giveUp(CallSubject.of(call.key(), null), error);
        } finally {
            calls.running().remove(leased);
            scope.end(error);
        }
    }
}
