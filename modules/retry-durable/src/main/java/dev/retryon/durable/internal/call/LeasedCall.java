// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.CallHandover;
import dev.retryon.CallState;
import dev.retryon.CallSubject;
import dev.retryon.DeadLetterQueue;
import dev.retryon.ExtensionErrorListener;
import dev.retryon.FailedCall;
import dev.retryon.StopReason;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCall.Action.What;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallLease;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.durable.internal.engine.LeaseLostException;
import dev.retryon.durable.internal.store.RepeatedWrite;
import dev.retryon.spring.module.StarterLog;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A stored call while a worker of this process runs an attempt. It receives the result of the attempt: the call becomes due
 * again, ends, or becomes a dead letter. The result is written once, together with the end of the lease. If the database is
 * down, the worker waits until it responds, because only the worker knows the result. If the database rejects the result,
 * the worker does not wait, because other calls need the worker.
 */
final class LeasedCall implements CallHandover {

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private static final Duration CONFLICT_PAUSE = Duration.ofMillis(200);

    /** The reasons that end a call after an error that would otherwise be retried. */
    private static final Set<StopReason> RETRYABLE =
            EnumSet.of(StopReason.EXHAUSTED, StopReason.BUDGET, StopReason.TIMEOUT, StopReason.DELAY_TOO_LONG);

    private final CallLease lease;

    private final CallContent call;

    private final DurableCalls calls;

    private final CallEngine.Transactions store;

    private final BooleanSupplier stopped;

    private final long since = System.nanoTime();

    private boolean settled;

    private boolean refused;

    private LaneGate.@Nullable Outcome outcome;

    /** @param stopped whether the workers are stopped and therefore do not wait for the database */
    LeasedCall(CallLease lease, CallContent call, DurableCalls calls, BooleanSupplier stopped) {
        this.lease = lease;
        this.call = call;
        this.calls = calls;
        this.store = calls.transactions();
        this.stopped = stopped;
    }

    CallLease lease() {
        return lease;
    }

    Duration age() {
        return Duration.ofNanos(System.nanoTime() - since);
    }

    CallContent call() {
        return call;
    }

    /** Returns whether the attempt's result is stored or another process has taken the call. */
    boolean isSettled() {
        return settled;
    }

    @Override
    public void take(CallSubject subject, CallState state, Duration delay) {
        Instant due = calls.now().plus(delay);
        outcome = new LaneGate.Outcome(false, delay);
        CallContent next = call.after(state, delay);
        byte[] data = calls.format().write(next);
        CallEngine.Label label = calls.label(next);
        try {
            settle(
                    store::writeSingle,
                    () -> lease.release(data, label, due),
                    refusal -> lease.release(calls.format().write(next.withoutHistory()), label, due));
        } catch (LeaseLostException ex) {
            // Another process runs the call, so it counts as taken.
            lost(ex);
        }
        calls.engine().wake(label, due);
    }

    /** Deletes the call, which has succeeded or was discarded. */
    @Override
    public void ended(String callId, @Nullable StopReason discarded) {
        if (refused) {
            // The call has attempts left, and runs again when its lease expires.
            throw new IllegalStateException("the next attempt of call " + callId + " could not be stored");
        }
        outcome = outcome(discarded);
        try {
            if (call.isOfDeadLetter()) {
                endResent(discarded != null);
            } else {
                // A single statement needs no explicit transaction.
                settle(lease.isOrdered() ? store::writeAll : store::writeSingle, this::removeOrRunAgain, null);
            }
        } catch (LeaseLostException ex) {
            lost(ex);
        }
    }

    private void endResent(boolean isDiscarded) {
        StoredCall.Action action = isDiscarded
                ? calls.action(What.DISCARDED, null, "discarded because of the call's error or 'whenFailed'")
                : calls.action(What.RESOLVED, null, null);
        settle(store::writeAll, () -> lease.end(action), null);
        calls.publish(lease.id(), call.name(), action);
    }

    private void removeOrRunAgain() {
        if (!lease.remove()) {
            runAgain();
        }
    }

    /** Runs the call once more, with a new count of attempts, instead of another call with its key. */
    private void runAgain() {
        Instant now = calls.now();
        CallContent anew = call.after(CallState.first(lease.id(), now), Duration.ZERO);
        CallEngine.Label label = calls.label(anew);
        lease.release(calls.format().write(anew), label, now);
        calls.wakeAfterCommit(label, now);
    }

    @Override
    public void died(FailedCall failed, DeadLetterQueue queue) {
        outcome = outcome(failed.reason());
        // The stored arguments, because attempts can have changed their own copies, and some calls cannot be read.
        DeadLetter letter = DeadLetter.of(
                failed,
                call.bean(),
                call.arguments(),
                lease.lane(),
                StarterLog.trace(),
                calls.surroundings().traceParent(failed),
                calls.now());
        settle(store::writeAll, () -> move(letter), refusal -> move(RepeatedWrite.reduced(letter, refusal)));
        if (call.isOfDeadLetter()) {
            calls.publish(lease.id(), call.name(), calls.action(What.DIED, null, null));
        }
    }

    private void move(DeadLetter letter) {
        if (!lease.die(letter)) {
            runAgain();
        } else {
            calls.died(letter);
        }
    }

    private void lost(LeaseLostException ex) {
        calls.errors()
                .report(
                        ExtensionErrorListener.Kind.STORE,
                        call.name(),
                        "an attempt took longer than the lease of its call, so another process also runs the call",
                        ex);
    }

    /** Returns the outcome of a call's last attempt; the reason is {@code null} if the call has succeeded. */
    private LaneGate.@Nullable Outcome outcome(@Nullable StopReason failed) {
        if (failed == null) {
            return LaneGate.Outcome.SUCCESS;
        }
        return RETRYABLE.contains(failed) ? LaneGate.Outcome.LAST_FAILURE : outcome;
    }

    /** Returns the outcome of the attempt, or {@code null} if it has no meaning for other calls in the lane. */
    LaneGate.@Nullable Outcome outcome() {
        return outcome;
    }

    /** Writes the outcome of the attempt with a single statement. */
    void settle(Runnable statement) {
        settle(store::writeSingle, statement, null);
    }

    /**
     * Writes the outcome of the attempt.
     *
     * @param smaller writes less if the database rejects the first write, whose exception it receives
     * @throws LeaseLostException if another process has leased the call; nothing is written
     * @throws RuntimeException if the database rejects both writes; the lease expires, and the call runs again
     */
    private void settle(Consumer<Runnable> transaction, Runnable whole, @Nullable Consumer<RuntimeException> smaller) {
        // A pool does not provide connections to interrupted threads.
        boolean interrupted = Thread.interrupted();
        refused = true;
        RepeatedWrite write = new RepeatedWrite(store, (reason, error, isFirst) -> {
            Duration pause = pause(reason);
            boolean continues = pause != null || (reason == RepeatedWrite.Reason.REFUSED && smaller != null);
            // The application has ended before the attempt, and its database is closed.
            if (!continues || stopped.getAsBoolean()) {
                return null;
            }
            if (isFirst) {
                String name = call.isReadable() ? call.name() : "stored calls";
                calls.errors().report(ExtensionErrorListener.Kind.STORE, name, text(reason), error);
            }
            return pause;
        });
        try {
            write.<@Nullable Void>run(
                    () -> done(transaction, whole),
                    smaller == null ? null : refusal -> done(transaction, () -> smaller.accept(refusal)));
            settled = true;
            refused = false;
        } catch (LeaseLostException ex) {
            settled = true;
            if (!write.isDoubtful()) {
                throw ex;
            }
            // The previous commit might have succeeded although its confirmation was lost.
            refused = false;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static @Nullable Void done(Consumer<Runnable> transaction, Runnable writes) {
        transaction.accept(writes);
        return null;
    }

    private static String text(RepeatedWrite.Reason reason) {
        return switch (reason) {
            case OUTAGE -> "the result of an attempt cannot be stored now; the worker waits for the database";
            case CONFLICT ->
                "the result of an attempt was not stored, because of a concurrent transaction (a deadlock, a lock or a"
                        + " serialization failure); the worker will try again";
            case UNCLEAR ->
                "the result of an attempt could not be stored, although the database responds; the worker will try"
                        + " again";
            case REFUSED, UNKNOWN ->
                "the database rejects the result of an attempt; the worker stores it without arguments, stack trace"
                        + " and history";
        };
    }

    /** Returns the pause before a write is repeated, or {@code null} if it is not repeated. */
    private static @Nullable Duration pause(RepeatedWrite.Reason reason) {
        return switch (reason) {
            case OUTAGE, UNCLEAR -> PAUSE;
            // At random, to prevent conflicting transactions from meeting again.
            case CONFLICT -> Duration.ofMillis(ThreadLocalRandom.current().nextLong(1, CONFLICT_PAUSE.toMillis()));
            case REFUSED, UNKNOWN -> null;
        };
    }
}
