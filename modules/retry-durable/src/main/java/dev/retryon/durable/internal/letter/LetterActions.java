// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import dev.retryon.ErrorText;
import dev.retryon.ExtensionErrorListener;
import dev.retryon.StopReason;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.durable.DeadLetterEvent;
import dev.retryon.durable.UnresolvableCallException;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Changes dead letters in the store, and publishes the changes. */
final class LetterActions {

    private final DeadLetterOffice.Parts parts;

    private final Clock clock;

    LetterActions(DeadLetterOffice.Parts parts, Clock clock) {
        this.parts = parts;
        this.clock = clock;
    }

    private DeadLetterStore store() {
        return parts.store().get();
    }

    Instant now() {
        return clock.instant();
    }

    Optional<DeadLetter> find(String id) {
        return store().find(id);
    }

    boolean move(String id, String name, DeadLetter.Action action, DeadLetterStore.@Nullable Hold hold) {
        boolean moved = store().move(id, action, hold);
        if (moved) {
            publish(id, name, action);
        }
        return moved;
    }

    /** A hold that lasts until it has to be extended. */
    DeadLetterStore.Hold newHold() {
        return DeadLetterStore.Hold.create(now().plus(Replays.HOLD));
    }

    boolean extend(Replay replay) {
        return store().extend(replay.id(), replay.hold().until(now().plus(Replays.HOLD)));
    }

    /** Takes a dead letter whose call can't run, and returns it with the reason. */
    void unresolvable(DeadLetter letter, @Nullable String by, UnresolvableCallException why) {
        DeadLetterStore.Hold hold = newHold();
        if (store().move(letter.id(), action(DeadLetterStatus.RETRYING, by, null), hold)) {
            unresolvable(letter, hold, why);
        }
    }

    /**
     * Returns a taken dead letter to its former status, because its call can't run. Its arguments do not change.
     * Returns {@code false} if the hold has been lost.
     */
    boolean unresolvable(DeadLetter letter, DeadLetterStore.Hold hold, UnresolvableCallException why) {
        DeadLetter.Action action = action(DeadLetterStatus.DEAD, null, why.getMessage());
        boolean done = store().putAgain(
                        new DeadLetter(
                                letter.id(),
                                letter.name(),
                                letter.method(),
                                letter.bean(),
                                null,
                                null,
                                UnresolvableCallException.class.getName(),
                                why.getMessage(),
                                null,
                                List.of(),
                                0,
                                StopReason.UNRESOLVABLE,
                                letter.firstFailedAt(),
                                action.at(),
                                DeadLetterStatus.DEAD,
                                letter.traceId(),
                                letter.traceParent(),
                                List.of(action)),
                        hold);
        if (done) {
            publish(letter.id(), letter.name(), action);
        }
        return done;
    }

    DeadLetter.Action action(DeadLetterStatus status, @Nullable String by, @Nullable String detail) {
        return new DeadLetter.Action(now(), by, status, detail);
    }

    void publish(String id, String name, DeadLetter.Action action) {
        DeadLetterOffice.publish(new DeadLetterEvent(id, name, action), parts.events(), parts.errors());
    }

    void failed(String name, String sentence, Throwable cause) {
        parts.errors().report(ExtensionErrorListener.Kind.DEAD_LETTER, name, sentence, cause);
    }

    /** The class and the message of an error. The message may run code of the application. */
    static String text(Throwable error) {
        ErrorText text = ErrorText.of(error);
        return text.message() == null ? text.type() : text.type() + ": " + text.message();
    }
}
