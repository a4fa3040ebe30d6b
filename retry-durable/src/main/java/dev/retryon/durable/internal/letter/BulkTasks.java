/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.letter;

import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterFilter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.durable.DeadLetters;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Deals with many dead letters, one task at a time. */
final class BulkTasks implements AutoCloseable {

    private final Supplier<DeadLetterStore> store;

    private final LetterActions letters;

    private final Replays replays;

    private @Nullable BulkTask latest;

    BulkTasks(Supplier<DeadLetterStore> store, LetterActions letters, Replays replays) {
        this.store = store;
        this.letters = letters;
        this.replays = replays;
    }

    synchronized Optional<DeadLetters.Task> latest() {
        return Optional.ofNullable(latest);
    }

    DeadLetters.Task start(
            DeadLetterStatus action, DeadLetterFilter filter, DeadLetters.Bulk bulk, Predicate<DeadLetter> step) {
        if (!bulk.dryRun() && !bulk.confirm()) {
            throw new IllegalArgumentException("confirm is 'false', but must be true unless dryRun is true");
        }
        Instant now = letters.now();
        // Dead letters that died in this millisecond may be listed too.
        Instant end = now.plusMillis(1);
        Instant asked = filter.diedBefore();
        Instant before = asked != null && asked.isBefore(end) ? asked : end;
        BulkTask task = new BulkTask(action, deadBefore(filter, before), bulk, store, replays, now, before);
        if (bulk.dryRun()) {
            return task;
        }
        synchronized (this) {
            if (latest != null && latest.state() == DeadLetters.Task.State.RUNNING) {
                throw new IllegalStateException("task " + latest.id() + " is running; wait for its end, or cancel it");
            }
            latest = task;
            task.start(step);
        }
        return task;
    }

    /** Only dead letters that are dead now, because a call that dies again must not be resent without end. */
    private static DeadLetterFilter deadBefore(DeadLetterFilter filter, Instant before) {
        if (!filter.statuses().isEmpty() && !filter.statuses().contains(DeadLetterStatus.DEAD)) {
            throw new IllegalArgumentException("statuses are " + filter.statuses()
                    + ", but must be DEAD, because only those can be resent or" + " discarded");
        }
        return new DeadLetterFilter(
                Set.of(DeadLetterStatus.DEAD),
                filter.name(),
                filter.errorType(),
                filter.text(),
                filter.diedFrom(),
                before);
    }

    @Override
    public void close() {
        Optional<DeadLetters.Task> task = latest();
        task.ifPresent(DeadLetters.Task::cancel);
    }
}
