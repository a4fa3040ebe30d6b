// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The entries of a store that a bulk task processes one after the other, each at most once. */
public interface BulkWork {

    long count();

    /**
     * Reads some ids.
     *
     * @param cursor the cursor of the previous slice; {@code null} for the first one
     */
    Slice next(@Nullable String cursor);

    /** Changes an entry; returns {@code false} if its state does not allow that any more. */
    boolean process(String id);

    /** Whether the application is shutting down, so that the task must end. */
    default boolean isClosing() {
        return false;
    }

    /** Whether the task ends only when the calls of its entries have ended. */
    default boolean awaitsCalls() {
        return false;
    }

    /** Whether the call of an entry that was processed has not ended yet. */
    default boolean isRunning(String id) {
        return false;
    }

    /**
     * Ids of entries.
     *
     * @param next the cursor of the next slice; {@code null} for the last one
     */
    record Slice(List<String> ids, @Nullable String next) {}
}
