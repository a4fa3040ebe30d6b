// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.engine;

import dev.retryon.durable.internal.engine.BulkTask.Progress;
import java.time.Instant;
import java.util.Optional;

/** The bulk tasks of all processes that share the store, without those that this version cannot read. Thread-safe. */
public interface BulkTaskStore {

    /**
     * Adds a task.
     *
     * @param node the process that runs it
     * @return {@code false} if another task runs
     * @throws IllegalStateException if another task runs that this version cannot read
     */
    boolean add(BulkTask task, String node);

    /** Finds the running task or, without one, the task that was started last by the clock of the store. */
    Optional<Entry> latest();

    /** Finds a task. Ended ones are kept for a day. */
    Optional<Entry> find(String id);

    /**
     * Continues or ends a running task, in the transaction of the thread.
     *
     * @param node the process that runs it from now on
     * @return {@code false} if it was changed meanwhile, or has ended
     */
    boolean update(Entry expected, Progress next, String node);

    /**
     * A task as it was read.
     *
     * @param isAbandoned whether its process has ended
     * @param now the time of the store's clock
     */
    record Entry(BulkTask task, Progress progress, String node, boolean isAbandoned, long version, Instant now) {

        /** Returns the entry that {@link #update} leaves. */
        public Entry updated(Progress next) {
            return new Entry(task, next, node, isAbandoned, version + 1, now);
        }
    }
}
