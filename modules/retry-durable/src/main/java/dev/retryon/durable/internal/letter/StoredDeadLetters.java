// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import dev.retryon.backoff.DurationText;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterFilter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterSummary;
import dev.retryon.durable.DeadLetterEvent;
import dev.retryon.durable.DeadLetters;
import dev.retryon.durable.internal.engine.DeadLetterStore;
import dev.retryon.durable.internal.stored.StoredArguments;
import dev.retryon.spring.internal.policy.RetriedMethod;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The dead letters of the store, for one user. */
final class StoredDeadLetters implements DeadLetters {

    private static final Duration LONGEST_DELAY = Duration.ofDays(365);

    private final DeadLetterOffice.Parts parts;

    private final BulkTasks tasks;

    private final Clock clock;

    private final BooleanSupplier closing;

    private final @Nullable String who;

    StoredDeadLetters(
            DeadLetterOffice.Parts parts, BulkTasks tasks, Clock clock, BooleanSupplier closing, @Nullable String who) {
        this.parts = parts;
        this.tasks = tasks;
        this.clock = clock;
        this.closing = closing;
        this.who = who;
    }

    private DeadLetterStore store() {
        return parts.store().get();
    }

    @Override
    public Optional<DeadLetter> find(String id) {
        return store().find(id).map(this::shown);
    }

    @Override
    public DeadLetters.Page list(DeadLetterFilter filter, @Nullable String cursor, int limit) {
        return store().list(filter, cursor, limit);
    }

    private DeadLetter shown(DeadLetter letter) {
        RetriedMethod method = parts.methods().find(letter.method());
        return letter.withArguments(
                StoredArguments.redact(method == null ? null : method.method(), letter.arguments()));
    }

    @Override
    public List<DeadLetters.Group> groups(DeadLetterFilter filter, int limit) {
        return store().groups(filter, limit);
    }

    @Override
    public long count(DeadLetterFilter filter) {
        return store().count(filter);
    }

    @Override
    public boolean retry(String id, Duration delay) {
        if (delay.isNegative()) {
            throw new IllegalArgumentException(
                    "delay is '" + DurationText.print(delay) + "', but must not be negative");
        }
        if (delay.compareTo(LONGEST_DELAY) > 0) {
            throw new IllegalArgumentException(
                    "delay is '" + DurationText.print(delay) + "', but must be at most 365 days");
        }
        DeadLetter letter = store().find(id).orElse(null);
        return letter != null
                && letter.status() == DeadLetterStatus.DEAD
                && resending().resend(letter, delay, who);
    }

    private Resending resending() {
        Resending resending = parts.resending().get();
        String obstacle = resending == null ? "this application stores no calls" : resending.obstacle();
        if (resending == null || obstacle != null) {
            throw new IllegalStateException("dead letters can't be resent, because " + obstacle);
        }
        return resending;
    }

    @Override
    public boolean discard(String id, @Nullable String reason) {
        return store().find(id).map(letter -> discard(letter, reason)).orElse(false);
    }

    private boolean discard(DeadLetter letter, @Nullable String reason) {
        DeadLetter.Action action = new DeadLetter.Action(clock.instant(), who, DeadLetterStatus.DISCARDED, reason);
        boolean done = store().move(letter.id(), DeadLetterStatus.DEAD, action);
        if (done) {
            DeadLetterOffice.publish(
                    new DeadLetterEvent(letter.id(), letter.name(), action), parts.events(), parts.errors());
        }
        return done;
    }

    @Override
    public Task retryAll(DeadLetterFilter filter, Bulk bulk) {
        Resending resending = resending();
        return start(DeadLetterStatus.RETRYING, filter, bulk, letter -> resending.resend(letter, Duration.ZERO, who));
    }

    @Override
    public Task discardAll(DeadLetterFilter filter, @Nullable String reason, Bulk bulk) {
        return start(DeadLetterStatus.DISCARDED, filter, bulk, letter -> discard(letter, reason));
    }

    /** Includes only dead letters that are dead now, because a call that dies again must not be resent endlessly. */
    private Task start(DeadLetterStatus action, DeadLetterFilter filter, Bulk bulk, Predicate<DeadLetter> step) {
        if (!filter.statuses().isEmpty() && !filter.statuses().contains(DeadLetterStatus.DEAD)) {
            throw new IllegalArgumentException("statuses are " + filter.statuses()
                    + ", but must be DEAD, because only those can be resent or discarded");
        }
        Instant now = clock.instant();
        // Dead letters that died in this millisecond may be listed too.
        Instant end = now.plusMillis(1);
        Instant asked = filter.diedBefore();
        Instant before = asked != null && asked.isBefore(end) ? asked : end;
        DeadLetterFilter dead = new DeadLetterFilter(
                Set.of(DeadLetterStatus.DEAD),
                filter.name(),
                filter.errorType(),
                filter.text(),
                filter.diedFrom(),
                before);
        return tasks.start(action, bulk, new Work(action, dead, step), now, before);
    }

    private final class Work implements BulkWork {

        private static final int PAGE = 100;

        private final DeadLetterStatus action;

        private final DeadLetterFilter filter;

        private final Predicate<DeadLetter> step;

        Work(DeadLetterStatus action, DeadLetterFilter filter, Predicate<DeadLetter> step) {
            this.action = action;
            this.filter = filter;
            this.step = step;
        }

        @Override
        public long count() {
            return store().count(filter);
        }

        @Override
        public Slice next(@Nullable String cursor) {
            DeadLetters.Page page = store().list(filter, cursor, PAGE);
            return new Slice(page.letters().stream().map(DeadLetterSummary::id).toList(), page.next());
        }

        @Override
        public boolean process(String id) {
            return store().find(id).filter(step).isPresent();
        }

        @Override
        public boolean isClosing() {
            return closing.getAsBoolean();
        }

        @Override
        public boolean awaitsCalls() {
            return action == DeadLetterStatus.RETRYING;
        }

        @Override
        public boolean isRunning(String id) {
            return store().find(id)
                    .filter(letter -> letter.status() == DeadLetterStatus.RETRYING)
                    .isPresent();
        }
    }

    @Override
    public Optional<Task> task() {
        return tasks.latest();
    }

    @Override
    public DeadLetters by(String name) {
        return new StoredDeadLetters(parts, tasks, clock, closing, name);
    }
}
