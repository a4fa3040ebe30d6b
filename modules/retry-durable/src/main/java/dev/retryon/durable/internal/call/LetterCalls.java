// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.CallState;
import dev.retryon.ExtensionErrorListener;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.durable.CallLedger;
import dev.retryon.durable.DeadLetterEvent;
import dev.retryon.durable.internal.letter.DeadLetterOffice;
import dev.retryon.durable.internal.letter.StoredReplays;
import dev.retryon.durable.internal.stored.Surroundings;
import dev.retryon.spring.internal.policy.RetriedMethod;
import dev.retryon.spring.internal.settings.RetrySettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Stored calls of dead letters. A dead letter and its call change in one transaction: the dead letter is {@code RETRYING} exactly
 * as long as its call is stored. So its hold never expires; the call carries the key of the hold.
 */
final class LetterCalls implements StoredReplays {

    private final DurableCalls calls;

    private final ApplicationEventPublisher events;

    LetterCalls(DurableCalls calls, ApplicationEventPublisher events) {
        this.calls = calls;
        this.events = events;
    }

    @Override
    public boolean isFor(DeadLetter letter) {
        String arguments = letter.arguments();
        return arguments != null
                && arguments.getBytes(StandardCharsets.UTF_8).length
                        <= calls.settings().maxArgumentBytes()
                && calls.transactions().keeps(calls.letters().get());
    }

    @Override
    public boolean store(
            DeadLetter letter, RetriedMethod method, Duration delay, Predicate<DeadLetterStore.Hold> take) {
        DeadLetterStore.Hold hold = DeadLetterStore.Hold.create(null);
        Map<String, String> context = new HashMap<>(Surroundings.context(letter.traceParent()));
        context.put(StoredCall.LETTER_HOLD, hold.key());
        StoredCall call = new StoredCall(
                method.key().toString(),
                method.name(),
                letter.bean(),
                String.valueOf(letter.arguments()),
                CallState.first(letter.id(), calls.now()),
                delay,
                RetrySettings.NONE,
                context);
        try {
            return calls.transactions().write(() -> {
                boolean taken = take.test(hold);
                if (taken) {
                    calls.add(call, delay);
                }
                return taken;
            });
        } catch (RuntimeException ex) {
            CallLedger ledger = calls.engine().ledger();
            if (ledger == null || ledger.find(letter.id()).isEmpty()) {
                throw ex;
            }
            // Not every database reports this as a duplicate key.
            calls.errors()
                    .report(
                            ExtensionErrorListener.Kind.DEAD_LETTER,
                            method.name(),
                            "the call of a dead letter is already stored, so it is not stored again",
                            ex);
            return false;
        }
    }

    /** Ends the call of a dead letter, together with the dead letter. The call has succeeded, or is not needed any more. */
    void ended(HeldCall held, String key, boolean isDiscarded) {
        DeadLetter.Action action = action(isDiscarded ? DeadLetterStatus.DISCARDED : DeadLetterStatus.RESOLVED);
        AtomicBoolean moved = new AtomicBoolean();
        held.settleTogether(
                () -> {
                    held.lease().remove();
                    DeadLetterStore.Hold hold = new DeadLetterStore.Hold(key, null);
                    moved.set(calls.letters().get().move(held.lease().id(), action, hold));
                },
                null);
        if (moved.get()) {
            publish(held.lease().id(), held.call().name(), action);
        } else {
            calls.errors()
                    .report(
                            ExtensionErrorListener.Kind.DEAD_LETTER,
                            held.call().name(),
                            "the stored call of a dead letter has ended, but the dead letter was changed or deleted"
                                    + " meanwhile, so the result is not recorded",
                            new IllegalStateException(
                                    "dead letter " + held.lease().id() + ": the result is " + action.what()));
        }
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
        if (held.call().letterHold() != null) {
            publish(held.lease().id(), held.call().name(), action(DeadLetterStatus.DEAD));
        }
    }

    private DeadLetter.Action action(DeadLetterStatus status) {
        @Nullable String detail = status == DeadLetterStatus.DISCARDED ? "its error or onExhaustion discarded it" : null;
        return new DeadLetter.Action(calls.now().truncatedTo(ChronoUnit.MILLIS), null, status, detail);
    }

    void publish(String id, String name, DeadLetter.Action action) {
        DeadLetterOffice.publish(new DeadLetterEvent(id, name, action), events, calls.errors());
    }
}
