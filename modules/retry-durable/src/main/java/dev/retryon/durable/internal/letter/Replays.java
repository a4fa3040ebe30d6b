// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import dev.retryon.CallState;
import dev.retryon.Retry;
import dev.retryon.RetryHistory;
import dev.retryon.StopReason;
import dev.retryon.backoff.DurationText;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.durable.UnresolvableCallException;
import dev.retryon.durable.internal.stored.StoredMethods;
import dev.retryon.durable.internal.stored.Surroundings;
import dev.retryon.spring.internal.policy.RetriedMethod;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Runs the calls of dead letters again: those of durable methods as stored calls, others in this process, through the
 * proxies of their beans. While a call waits or runs, the hold on its dead letter is extended; when it ends, the
 * store records the result.
 */
final class Replays implements AutoCloseable {

    /** How long a hold lasts unless it is extended. */
    static final Duration HOLD = Duration.ofSeconds(40);

    private static final int REPORTS = 30;

    private static final Duration CLOSING = Duration.ofSeconds(2);

    private static final long MOMENT = 1_000_000;

    private final DeadLetterOffice.Parts parts;

    private final LetterActions letters;

    private final ReplayThreads threads;

    private final BooleanSupplier closing;

    private final ReplayTimer timer;

    private final Map<String, Replay> running = new ConcurrentHashMap<>();

    Replays(
            DeadLetterOffice.Parts parts,
            LetterActions letters,
            ReplayThreads threads,
            BooleanSupplier closing,
            ReplayTimer timer) {
        this.parts = parts;
        this.letters = letters;
        this.threads = threads;
        this.closing = closing;
        this.timer = timer;
    }

    /** The call of an id; {@code null} if this process does not resend it. */
    @Nullable Replay find(String id) {
        return running.get(id);
    }

    int count() {
        return running.size();
    }

    boolean isClosing() {
        return closing.getAsBoolean();
    }

    boolean start(DeadLetter letter, Duration delay, @Nullable String by) {
        // A call of this process whose hold has expired may still run: it must not run twice here.
        Replay before = running.get(letter.id());
        boolean mayRun = before != null && !before.isRecorded();
        if (isClosing() || letter.status() != DeadLetterStatus.DEAD || mayRun) {
            return false;
        }
        RetriedMethod method;
        @Nullable Object[] arguments;
        try {
            method = method(letter);
            arguments = arguments(letter, method);
        } catch (UnresolvableCallException ex) {
            letters.unresolvable(letter, by, ex);
            return false;
        }
        String detail = delay.isZero() ? null : "in " + DurationText.print(delay);
        DeadLetter.Action action = letters.action(DeadLetterStatus.RETRYING, by, detail);
        StoredReplays durable = method.isDurable() ? parts.stored().get() : null;
        if (durable != null && durable.isFor(letter)) {
            boolean done = durable.store(
                    letter, method, delay, hold -> parts.store().get().move(letter.id(), action, hold));
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
        Replay replay = new Replay(letter, method, arguments, hold, now);
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

    private RetriedMethod method(DeadLetter letter) {
        RetriedMethod method = parts.methods().find(letter.method());
        if (method == null) {
            throw new UnresolvableCallException(
                    "no bean has a retried method " + letter.method()
                            + "; if it was renamed, configure its old name in retryon.dead-letter.aliases",
                    null);
        }
        return method;
    }

    private @Nullable Object[] arguments(DeadLetter letter, RetriedMethod method) {
        if (letter.arguments() == null) {
            throw new UnresolvableCallException("its arguments were not kept", null);
        }
        try {
            return parts.arguments().decode(method.beanClass(), method.method(), letter.arguments());
        } catch (IllegalArgumentException ex) {
            throw new UnresolvableCallException(String.valueOf(ex.getMessage()), ex);
        }
    }

    private static IllegalStateException shuttingDown() {
        return new IllegalStateException("the application is shutting down");
    }

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

    private void giveBack(Replay replay, Throwable why, int time) {
        if (replay.begin()) {
            report(replay, why, time);
        }
    }

    /** Runs a call, unless another process has taken the dead letter while it waited. */
    @SuppressWarnings("FutureReturnValueIgnored") // the receiver does not throw
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
        Surroundings.Scope scope =
                parts.surroundings().restore(replay.call(), Surroundings.context(replay.traceParent()));
        CompletionStage<?> later = null;
        Throwable error = null;
        try (scope) {
            later = CallResult.later(invoke(replay));
        } catch (StoredMethods.NotReachedException ex) {
            error = ex.reason();
        } catch (Throwable ex) {
            error = ex;
        }
        if (later == null) {
            ended(replay, scope, error);
        } else {
            // Whoever completes the result must not be blocked by the store.
            later.whenComplete((value, failure) -> later(() -> ended(replay, scope, CallResult.cause(failure))));
        }
    }

    private @Nullable Object invoke(Replay replay) throws Throwable {
        RetriedMethod method = replay.method();
        Object bean = parts.methods().bean(method, replay.bean());
        if (bean == null) {
            throw new UnresolvableCallException(
                    "there is no bean '" + replay.bean() + "' with the method " + method.key() + ", or more than one",
                    null);
        }
        UnaryOperator<Retry> resumption = retry -> retry.toBuilder(retry.policy())
                .handOver(null)
                .build()
                .resume(CallState.first(replay.id(), letters.now()), Duration.ZERO, () -> isHeld(replay));
        return parts.methods().call(method, bean, replay.arguments(), resumption, false);
    }

    private void ended(Replay replay, Surroundings.Scope scope, @Nullable Throwable error) {
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

    private void report(Replay replay, @Nullable Throwable error, int time) {
        // An interrupted thread gets no connection.
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
        if (replay.isRecorded()) {
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
        DeadLetter.Action action = letters.action(status, null, outcome);
        boolean done = parts.store().get().move(replay.id(), action, replay.hold());
        if (done) {
            replay.recorded(); // a listener of the event may resend the call
            letters.publish(replay.id(), replay.name(), action);
        }
        return done;
    }

    private boolean hasStatus(Replay replay, DeadLetterStatus status) {
        return letters.find(replay.id())
                .filter(letter -> letter.status() == status)
                .isPresent();
    }

    /** Why a call failed that must not be stored; {@code null} if it did not run or did not fail. */
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
