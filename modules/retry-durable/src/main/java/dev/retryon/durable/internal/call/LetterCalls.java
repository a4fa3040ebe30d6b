// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.CallState;
import dev.retryon.StopReason;
import dev.retryon.backoff.DurationText;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.durable.DeadLetterEvent;
import dev.retryon.durable.UnresolvableCallException;
import dev.retryon.durable.internal.engine.DeadLetterStore;
import dev.retryon.durable.internal.letter.DeadLetterOffice;
import dev.retryon.durable.internal.letter.Resending;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.durable.internal.stored.Surroundings;
import dev.retryon.spring.internal.policy.RetriedMethod;
import dev.retryon.spring.internal.settings.RetrySettings;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;

/** Calls that run for a dead letter. A dead letter is {@code RETRYING} exactly as long as its call waits or runs. */
final class LetterCalls implements Resending {

    private final DurableCalls calls;

    private final ApplicationEventPublisher events;

    private final Runnable worker;

    /** @param worker starts the worker of this process, if it is not running */
    LetterCalls(DurableCalls calls, ApplicationEventPublisher events, Runnable worker) {
        this.calls = calls;
        this.events = events;
        this.worker = worker;
    }

    @Override
    public @Nullable String obstacle() {
        boolean isRun = calls.settings().lanes().runsCalls()
                || !(calls.transactions() instanceof RetryStore store)
                || LiveNodes.announced(store, "").findAny().isPresent();
        return isRun
                ? null
                : "no running process of this application has threads for stored calls; set retryon.durable.threads to 1"
                        + " or more in at least one of them";
    }

    @Override
    public boolean resend(DeadLetter letter, Duration delay, @Nullable String by) {
        RetriedMethod method = calls.methods().find(letter.method());
        String problem = method == null
                ? "no bean has a retried method " + letter.method()
                        + "; if it was renamed, configure its old name in retryon.dead-letter.aliases"
                : misfit(letter, method);
        if (method == null || problem != null) {
            unresolvable(letter, by, String.valueOf(problem));
            return false;
        }
        DeadLetter.Action action =
                action(DeadLetterStatus.RETRYING, by, delay.isZero() ? null : "in " + DurationText.print(delay));
        boolean done = store(letter, method, delay, action);
        if (done) {
            publish(letter.id(), letter.name(), action);
            worker.run();
        }
        return done;
    }

    /** Returns why the arguments of a dead letter do not fit its method; {@code null} if they do. */
    private @Nullable String misfit(DeadLetter letter, RetriedMethod method) {
        if (letter.arguments() == null) {
            return "its arguments were not kept";
        }
        try {
            var unused = calls.arguments().decode(method.beanClass(), method.method(), letter.arguments());
            return null;
        } catch (IllegalArgumentException ex) {
            return String.valueOf(ex.getMessage());
        }
    }

    private boolean store(DeadLetter letter, RetriedMethod method, Duration delay, DeadLetter.Action action) {
        Map<String, String> context = new HashMap<>(Surroundings.context(letter.traceParent()));
        context.put(StoredCall.DEAD_LETTER, "true");
        StoredCall call = new StoredCall(
                method.key().toString(),
                method.name(),
                letter.bean(),
                String.valueOf(letter.arguments()),
                CallState.first(letter.id(), calls.now().plus(delay)),
                delay,
                RetrySettings.NONE,
                context);
        return calls.transactions().write(() -> calls.resend(call, delay, action));
    }

    /** Records that a call can't run, and the person who wanted to resend it. Its arguments do not change. */
    private void unresolvable(DeadLetter letter, @Nullable String by, String why) {
        DeadLetter.Action taken = action(DeadLetterStatus.RETRYING, by, null);
        DeadLetter.Action dead = action(DeadLetterStatus.DEAD, null, why);
        DeadLetter again = new DeadLetter(
                letter.id(),
                letter.name(),
                letter.method(),
                letter.bean(),
                null,
                null,
                UnresolvableCallException.class.getName(),
                why,
                null,
                List.of(),
                0,
                StopReason.UNRESOLVABLE,
                letter.firstFailedAt(),
                dead.at(),
                DeadLetterStatus.DEAD,
                letter.traceId(),
                letter.traceParent(),
                List.of(dead));
        DeadLetterStore letters = calls.letters().get();
        boolean done = calls.transactions().write(() -> {
            boolean isTaken = letters.move(letter.id(), DeadLetterStatus.DEAD, taken);
            if (isTaken) {
                letters.put(again);
            }
            return isTaken;
        });
        if (done) {
            publish(letter.id(), letter.name(), dead);
        }
    }

    /** Ends a call that has succeeded or is no longer needed, together with its dead letter. */
    void ended(HeldCall held, boolean isDiscarded) {
        DeadLetter.Action action = isDiscarded
                ? action(DeadLetterStatus.DISCARDED, null, "its error or whenFailed discarded it")
                : action(DeadLetterStatus.RESOLVED, null, null);
        held.settle(() -> held.lease().end(action));
        publish(held.lease().id(), held.call().name(), action);
    }

    /**
     * Returns the dead letter of a stored call that can't be read. If the call is that of a dead letter, that one still has the
     * method and the arguments, which are kept.
     */
    DeadLetter ofUnreadable(DeadLetter unreadable) {
        return calls.letters()
                .get()
                .find(unreadable.id())
                .map(before -> new DeadLetter(
                        before.id(),
                        before.name(),
                        before.method(),
                        before.bean(),
                        null,
                        unreadable.errorCode(),
                        unreadable.errorType(),
                        unreadable.errorMessage(),
                        unreadable.stackTrace(),
                        unreadable.failures(),
                        unreadable.attempts(),
                        unreadable.reason(),
                        unreadable.firstFailedAt(),
                        unreadable.diedAt(),
                        unreadable.status(),
                        before.traceId(),
                        before.traceParent(),
                        unreadable.actions()))
                .orElse(unreadable);
    }

    /** Publishes that a call was stored as a dead letter again; does nothing if it was none before. */
    void died(HeldCall held) {
        if (held.call().isOfDeadLetter()) {
            publish(held.lease().id(), held.call().name(), action(DeadLetterStatus.DEAD, null, null));
        }
    }

    private DeadLetter.Action action(DeadLetterStatus status, @Nullable String by, @Nullable String detail) {
        return new DeadLetter.Action(calls.now().truncatedTo(ChronoUnit.MILLIS), by, status, detail);
    }

    void publish(String id, String name, DeadLetter.Action action) {
        DeadLetterOffice.publish(new DeadLetterEvent(id, name, action), events, calls.errors());
    }
}
