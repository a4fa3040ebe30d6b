// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.durable.DeadLetters;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Runs bulk tasks on the entries of one store, one task at a time. Thread-safe. */
public final class BulkTasks implements AutoCloseable {

    private @Nullable BulkTask latest;

    public synchronized Optional<DeadLetters.Task> latest() {
        return Optional.ofNullable(latest);
    }

    /**
     * Starts a task, or only counts its entries.
     *
     * @param action the status that the task gives to its entries
     * @param before the upper bound for the times of the entries, exclusive
     * @throws IllegalArgumentException if the bulk is neither confirmed nor a dry run
     * @throws IllegalStateException if another task is running
     */
    public DeadLetters.Task start(
            DeadLetterStatus action, DeadLetters.Bulk bulk, BulkWork work, Instant startedAt, Instant before) {
        if (!bulk.dryRun() && !bulk.confirm()) {
            throw new IllegalArgumentException("confirm is 'false', but must be true unless dryRun is true");
        }
        BulkTask task = new BulkTask(action, bulk, work, startedAt, before);
        if (bulk.dryRun()) {
            return task;
        }
        synchronized (this) {
            if (latest != null && latest.state() == DeadLetters.Task.State.RUNNING) {
                throw new IllegalStateException("task " + latest.id() + " is running; wait for its end, or cancel it");
            }
            latest = task;
            task.start();
        }
        return task;
    }

    @Override
    public void close() {
        latest().ifPresent(DeadLetters.Task::cancel);
    }
}
