/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.deadletter;

import dev.retryon.CallState;
import dev.retryon.RetryHistory;
import dev.retryon.StopReason;
import dev.retryon.StoredCalls;
import dev.retryon.backoff.DurationText;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.spring.UnresolvableCallException;
import dev.retryon.spring.context.CallContexts;
import dev.retryon.spring.context.Surroundings;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends dead letters again, through the proxies of their beans and on threads of the executor. While a call runs, its hold in
 * the store is extended; when it ends, the store records how.
 */
final class Replays implements AutoCloseable {

    /** For how long a dead letter is held unless the hold is extended. */
    static final Duration HOLD = Duration.ofSeconds(40);

    /** How often the end of a call is sent to a store that fails. */
    private static final int REPORTS = 30;

    /** How long the shutdown waits for calls to end. */
    private static final Duration CLOSING = Duration.ofSeconds(2);

    private static final long MOMENT = 1_000_000;

    private final LetterActions letters;

    private final ReplayTargets targets;

    private final Surroundings surroundings;

    private final Executor executor;

    private final BooleanSupplier closing;

    private final ReplayTimer timer;

    private final Map<String, Replay> running = new ConcurrentHashMap<>();

    Replays(
            LetterActions letters,
            ReplayTargets targets,
            Surroundings surroundings,
            Executor executor,
            BooleanSupplier closing,
            ReplayTimer timer) {
        this.letters = letters;
        this.targets = targets;
        this.surroundings = surroundings;
        this.executor = executor;
        this.closing = closing;
        this.timer = timer;
    }

    /** The call of an id; {@code null} if it is none that is sent again by this process. */
    @Nullable Replay find(String id) {
        return running.get(id);
    }

    /** How many calls are being sent again by this process. */
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
        if (isClosing() || letter.status() != DeadLetterStatus.DEAD) {
            return false;
        }
        Replay replay;
        try {
            replay = targets.resolve(letter, timer.nanos());
        } catch (UnresolvableCallException ex) {
            letters.unresolvable(letter, by, ex);
            return false;
        }
        Instant now = letters.now();
        String detail = delay.isZero() ? null : "in " + DurationText.print(delay);
        if (!letters.move(
                letter.id(),
                letter.name(),
                DeadLetterStatus.RETRYING,
                by,
                detail,
                now.plus(delay).plus(HOLD))) {
            return false;
        }
        running.put(letter.id(), replay);
        timer.beat(this::extendHolds);
        if (delay.isZero()) {
            return dispatch(replay);
        }
        if (timer.after(delay, () -> dispatch(replay))) {
            return true;
        }
        report(replay, new IllegalStateException("the application is shutting down"), REPORTS);
        return false;
    }

    /** Hands a call to the executor. */
    private boolean dispatch(Replay replay) {
        replay.extended(timer.nanos());
        replay.started();
        try {
            if (isClosing()) {
                throw new IllegalStateException("the application is shutting down");
            }
            executor.execute(() -> run(replay));
            return true;
        } catch (Throwable ex) {
            report(replay, ex, 1);
            return false;
        }
    }

    private void run(Replay replay) {
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

    /** How a call has ended. */
    private record End(@Nullable Throwable error) {}

    /** Makes a call; returns null if its end comes later. */
    private @Nullable End call(Replay replay, CallContexts.Scope scope) {
        Object result;
        try {
            result = targets.call(
                    replay,
                    retry -> StoredCalls.resume(
                            StoredCalls.stay(retry.toBuilder(retry.policy())).build(),
                            CallState.first(replay.id(), letters.now()),
                            Duration.ZERO,
                            () -> isHeld(replay)));
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
            executor.execute(report);
        } catch (Throwable ex) {
            report.run();
        }
    }

    /** Tells the store how a call has ended. */
    private void report(Replay replay, @Nullable Throwable error, int time) {
        // A store can do nothing for a thread that is interrupted.
        boolean interrupted = Thread.interrupted();
        try {
            end(replay, error);
            running.remove(replay.id(), replay);
        } catch (Throwable ex) {
            letters.failed(replay.name(), "the end of a call that was sent again could not be stored", ex);
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

    private void end(Replay replay, @Nullable Throwable error) {
        StopReason reason = replay.reason() != null ? replay.reason() : reasonIn(error);
        if (replay.isKept()) {
            letters.publish(replay.id(), replay.name(), letters.action(DeadLetterStatus.DEAD, null, null));
        } else if (error instanceof UnresolvableCallException unresolvable) {
            letters.find(replay.id()).ifPresent(letter -> letters.unresolvable(letter, unresolvable));
        } else if (error == null && reason == null) {
            letters.move(replay.id(), replay.name(), DeadLetterStatus.RESOLVED, null, null, null);
        } else if (reason == StopReason.DISCARD) {
            letters.move(replay.id(), replay.name(), DeadLetterStatus.DISCARDED, null, describe(error, reason), null);
        } else {
            letters.move(replay.id(), replay.name(), DeadLetterStatus.DEAD, null, describe(error, reason), null);
        }
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
        String what =
                error == null ? "the call has failed, and its caller was served otherwise" : LetterActions.text(error);
        return reason == null ? what : reason + ": " + what;
    }

    private boolean isHeld(Replay replay) {
        return timer.nanos() - replay.extendedAt() < HOLD.toNanos();
    }

    private void extendHolds() {
        for (Replay replay : running.values()) {
            // What waits for its time is held until then. A hold that has lapsed may be another's by now.
            if (replay.isStarted() && isHeld(replay)) {
                long now = timer.nanos();
                try {
                    if (letters.extend(replay.id(), HOLD)) {
                        replay.extended(now);
                    } else {
                        replay.extended(now - HOLD.toNanos());
                    }
                } catch (Throwable ex) {
                    letters.failed(replay.name(), "the hold on a call that was sent again could not be extended", ex);
                }
            }
        }
    }

    /**
     * Gives back what waits for its time. Calls that wait for a retry end with the engine, which is closed by now; those that
     * make an attempt end with it, and if that is too late, their hold lapses.
     */
    @Override
    public void close() {
        timer.close();
        for (Replay replay : running.values()) {
            if (!replay.isStarted()) {
                report(replay, new IllegalStateException("the application is shutting down"), REPORTS);
            }
        }
        long end = timer.nanos() + CLOSING.toNanos();
        while (!running.isEmpty()
                && timer.nanos() < end
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(MOMENT);
        }
    }
}
