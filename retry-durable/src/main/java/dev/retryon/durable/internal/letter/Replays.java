/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.letter;

import dev.retryon.CallState;
import dev.retryon.RetryHistory;
import dev.retryon.StopReason;
import dev.retryon.backoff.DurationText;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.durable.UnresolvableCallException;
import dev.retryon.durable.internal.context.CallContexts;
import dev.retryon.durable.internal.context.Surroundings;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the calls of dead letters again: those of durable methods as stored calls, others in this process, through the
 * proxies of their beans. While a call waits or runs, the hold on its dead letter is extended; when it ends, the
 * store records the result.
 */
final class Replays implements AutoCloseable {

    /** For how long a dead letter is held unless the hold is extended. */
    static final Duration HOLD = Duration.ofSeconds(40);

    /** The number of tries to store a result if the store fails. */
    private static final int REPORTS = 30;

    /** The time that shutdown waits for calls to end. */
    private static final Duration CLOSING = Duration.ofSeconds(2);

    private static final long MOMENT = 1_000_000;

    private final LetterActions letters;

    private final ReplayTargets targets;

    private final Supplier<@Nullable StoredReplays> stored;

    private final Surroundings surroundings;

    private final ReplayThreads threads;

    private final BooleanSupplier closing;

    private final ReplayTimer timer;

    private final Map<String, Replay> running = new ConcurrentHashMap<>();

    Replays(
            LetterActions letters,
            ReplayTargets targets,
            Supplier<@Nullable StoredReplays> stored,
            Surroundings surroundings,
            ReplayThreads threads,
            BooleanSupplier closing,
            ReplayTimer timer) {
        this.letters = letters;
        this.targets = targets;
        this.stored = stored;
        this.surroundings = surroundings;
        this.threads = threads;
        this.closing = closing;
        this.timer = timer;
    }

    /** The call of an id; {@code null} if it is none that is sent again by this process. */
    @Nullable Replay find(String id) {
        return running.get(id);
    }

    /** The number of calls that this process is resending. */
    int count() {
        return running.size();
    }

    boolean isClosing() {
        return closing.getAsBoolean();
    }

    /**
     * Sends a call again.
     *
     * @param by who has asked for it, or {@code null}
     * @return whether it is sent
     */
    boolean start(DeadLetter letter, Duration delay, @Nullable String by) {
        // A call of this process whose hold has expired may still run: it must not run twice here.
        if (isClosing() || letter.status() != DeadLetterStatus.DEAD || running.containsKey(letter.id())) {
            return false;
        }
        ReplayTargets.Target target;
        try {
            target = targets.resolve(letter);
        } catch (UnresolvableCallException ex) {
            letters.unresolvable(letter, by, ex);
            return false;
        }
        String detail = delay.isZero() ? null : "in " + DurationText.print(delay);
        DeadLetter.Action action = letters.action(DeadLetterStatus.RETRYING, by, detail);
        StoredReplays durable = target.method().isDurable() ? stored.get() : null;
        if (durable != null && durable.isFor(letter)) {
            boolean done =
                    durable.store(letter, target.method(), delay, hold -> letters.take(letter.id(), action, hold));
            if (done) {
                letters.publish(letter.id(), letter.name(), action);
            }
            return done;
        }
        long now = timer.nanos();
        DeadLetterStore.Hold hold = letters.newHold();
        if (!letters.move(letter.id(), letter.name(), action, hold)) {
            return false;
        }
        Replay replay = new Replay(letter, target.method(), target.arguments(), hold, now);
        running.put(letter.id(), replay);
        timer.beat(this::extendHolds);
        if (delay.isZero()) {
            return dispatch(replay);
        }
        if (timer.after(delay, () -> dispatch(replay))) {
            return true;
        }
        giveBack(replay, shuttingDown(), REPORTS);
        return false;
    }

    private static IllegalStateException shuttingDown() {
        return new IllegalStateException("the application is shutting down");
    }

    /** Hands a call to the executor. */
    private boolean dispatch(Replay replay) {
        try {
            if (isClosing()) {
                throw shuttingDown();
            }
            threads.calls().execute(() -> run(replay));
            return true;
        } catch (Throwable ex) {
            giveBack(replay, ex, 1);
            return false;
        }
    }

    /** Ends what has not begun. */
    private void giveBack(Replay replay, Throwable why, int time) {
        if (replay.begin()) {
            report(replay, why, time);
        }
    }

    /** Runs a call, unless another process has taken the dead letter while it waited. */
    private void run(Replay replay) {
        if (timer.nanos() - replay.extendedAt() >= ReplayTimer.BEAT.toNanos()) {
            extend(replay);
        }
        if (!replay.isLost() && !isHeld(replay)) {
            // The store does not answer, so it is not known who holds the dead letter.
            timer.after(ReplayTimer.BEAT, () -> dispatch(replay));
            return;
        }
        if (!replay.begin()) {
            return;
        }
        if (replay.isLost()) {
            report(replay, new IllegalStateException("the call did not run"), 1);
            return;
        }
        CallContexts.Scope scope = surroundings.restore(replay.call(), replay.traceParent());
        End end;
        try {
            end = call(replay, scope);
        } finally {
            scope.close();
        }
        if (end != null) {
            ended(replay, scope, end.error());
        }
    }

    /** The end of a call. */
    private record End(@Nullable Throwable error) {}

    /** Runs a call; returns null if it ends later. */
    private @Nullable End call(Replay replay, CallContexts.Scope scope) {
        Object result;
        try {
            result = targets.call(
                    replay,
                    retry -> retry.toBuilder(retry.policy())
                            .spi()
                            .keepLocal()
                            .build()
                            .spi()
                            .resume(CallState.first(replay.id(), letters.now()), Duration.ZERO, () -> isHeld(replay)));
        } catch (Throwable ex) {
            return new End(ex);
        }
        AtomicReference<@Nullable End> end = new AtomicReference<>();
        // Whoever completes the result must not be blocked by the store.
        CallResult.whenDone(
                result, error -> end.set(new End(error)), error -> later(() -> ended(replay, scope, error)));
        return end.get();
    }

    private void ended(Replay replay, CallContexts.Scope scope, @Nullable Throwable error) {
        scope.end(error);
        report(replay, error, 1);
    }

    private void later(Runnable report) {
        try {
            threads.results().execute(report);
        } catch (Throwable ex) {
            report.run();
        }
    }

    /** Stores the result of a call. */
    private void report(Replay replay, @Nullable Throwable error, int time) {
        // A store can do nothing for a thread that is interrupted.
        boolean interrupted = Thread.interrupted();
        try {
            end(replay, error, time);
            running.remove(replay.id(), replay);
        } catch (Throwable ex) {
            letters.failed(replay.name(), "the result of a resent call could not be stored", ex);
            boolean again = time < REPORTS
                    && !isClosing()
                    && timer.after(ReplayTimer.BEAT, () -> later(() -> report(replay, error, time + 1)));
            if (!again) {
                running.remove(replay.id(), replay);
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void end(Replay replay, @Nullable Throwable error, int time) {
        if (replay.isKept()) {
            letters.publish(replay.id(), replay.name(), letters.action(DeadLetterStatus.DEAD, null, null));
            return;
        }
        StopReason reason = replay.reason() != null ? replay.reason() : reasonIn(error);
        DeadLetterStatus status = error == null && reason == null
                ? DeadLetterStatus.RESOLVED
                : reason == StopReason.DISCARD ? DeadLetterStatus.DISCARDED : DeadLetterStatus.DEAD;
        String outcome = status == DeadLetterStatus.RESOLVED ? null : describe(error, reason);
        // The answer to an earlier write may have been lost.
        if (!isRecorded(replay, status, outcome, error) && !(time > 1 && hasStatus(replay, status))) {
            letters.failed(
                    replay.name(),
                    "the result of a resent call is not recorded, because the lease of this process has expired and"
                            + " another process has taken the dead letter",
                    new IllegalStateException(
                            "dead letter " + replay.id() + ": "
                                    + (outcome == null ? "the call has succeeded" : outcome),
                            error));
        }
    }

    /** Records how a call has ended; returns {@code false} if another process has taken the dead letter. */
    private boolean isRecorded(
            Replay replay, DeadLetterStatus status, @Nullable String outcome, @Nullable Throwable error) {
        if (replay.isLost()) {
            return false;
        }
        if (error instanceof UnresolvableCallException unresolvable) {
            DeadLetter letter = letters.find(replay.id()).orElse(null);
            return letter != null && letters.unresolvable(letter, replay.hold(), unresolvable);
        }
        return letters.move(replay.id(), replay.name(), letters.action(status, null, outcome), replay.hold());
    }

    private boolean hasStatus(Replay replay, DeadLetterStatus status) {
        return letters.find(replay.id())
                .filter(letter -> letter.status() == status)
                .isPresent();
    }

    /** Why a call has failed that is not to be kept; {@code null} if it was not made, or did not fail. */
    private static @Nullable StopReason reasonIn(@Nullable Throwable error) {
        if (error != null) {
            for (Throwable suppressed : error.getSuppressed()) {
                if (suppressed instanceof RetryHistory history) {
                    return history.reason();
                }
            }
        }
        return null;
    }

    private static String describe(@Nullable Throwable error, @Nullable StopReason reason) {
        String what = error == null ? "the call has failed, but its recovery has answered" : LetterActions.text(error);
        return reason == null ? what : reason + ": " + what;
    }

    private boolean isHeld(Replay replay) {
        return !replay.isLost() && timer.nanos() - replay.extendedAt() < HOLD.toNanos();
    }

    private void extendHolds() {
        running.values().forEach(this::extend);
    }

    /** Extends a hold, also one that has expired: the store knows whether another process has taken the dead letter. */
    private void extend(Replay replay) {
        if (replay.isLost()) {
            return;
        }
        long now = timer.nanos();
        try {
            if (letters.extend(replay)) {
                replay.extended(now);
            } else if (running.containsKey(replay.id())) {
                replay.lost();
            }
        } catch (Throwable ex) {
            letters.failed(replay.name(), "the lease of a resent call could not be extended", ex);
        }
    }

    /**
     * Releases the dead letters that wait for their time. Calls that wait for a retry end with the engine, which is
     * closed by now; those that make an attempt end with it, and if that is too late, their hold lapses.
     */
    @Override
    public void close() {
        timer.close();
        for (Replay replay : running.values()) {
            giveBack(replay, shuttingDown(), REPORTS);
        }
        long end = timer.nanos() + CLOSING.toNanos();
        while (!running.isEmpty()
                && timer.nanos() < end
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(MOMENT);
        }
    }
}
