// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.engine;

import dev.retryon.durable.internal.engine.BulkTask.Progress;
import java.time.Instant;
import java.util.Optional;

/** The bulk tasks of all processes that share the store, without those that this version cannot read. Thread-safe. */
public interface BulkTaskStore {

    /**
     * Adds a task that the given node runs. Returns {@code false} if another task is running.
     *
     * @throws IllegalStateException if another task is running that this version cannot read
     */
    boolean add(BulkTask task, String node);

    /** Finds the running task or, if no task is running, the task that was started last by the store's clock. */
    Optional<Entry> latest();

    /** Finds a task. Ended tasks are kept for a day. */
    Optional<Entry> find(String id);

    /**
     * Continues or ends a running task, in the thread's transaction. The node is the process that runs the task from now
     * on. Returns {@code false} if the task was changed meanwhile, or has ended.
     */
    boolean update(Entry expected, Progress next, String node);

    /** A task as it was read. The time is by the store's clock. If a task is abandoned, its process has ended. */
    record Entry(BulkTask task, Progress progress, String node, boolean isAbandoned, long version, Instant now) {

        /** Returns the entry that {@link #update} leaves. */
        public Entry updated(Progress next) {
            return new Entry(task, next, node, isAbandoned, version + 1, now);
        }
    }
}
