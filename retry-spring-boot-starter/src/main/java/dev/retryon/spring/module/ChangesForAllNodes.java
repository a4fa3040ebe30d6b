// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import java.time.Duration;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Changes settings on all nodes of an application. A module contributes one, which keeps the
 * changes in a database.
 */
public interface ChangesForAllNodes {

    /** Whether settings can be changed for all nodes; {@code false} if there is no shared database. */
    boolean isShared();

    /**
     * Changes settings for all nodes. Earlier changes of the same scope and name stay in effect unless this change
     * replaces them. This node follows at once.
     *
     * @param values texts by attribute, such as {@code maxAttempts}; {@code null} reverts a change
     * @param lasting the time after which the change ends, more than zero and at most 365 days; {@code null} for never
     * @param by the user who makes the change, or {@code null}
     * @return the change that is in effect now; {@code null} if nothing is left of it
     * @throws IllegalArgumentException if a value is wrong or there is no shared database; nothing is changed in that
     *     case
     * @throws SharedStoreException if the database does not respond
     */
    @Nullable RuntimeChange change(
            RuntimeChange.Scope scope,
            String name,
            Map<String, @Nullable String> values,
            @Nullable Duration lasting,
            @Nullable String by);

    /**
     * Reverts all changes for all nodes of a scope and a name.
     *
     * @return {@code false} if nothing was changed
     * @throws IllegalArgumentException if there is no shared database
     * @throws SharedStoreException if the database does not respond
     */
    boolean takeBack(RuntimeChange.Scope scope, String name, @Nullable String by);

    /** The settings of this node, which follow the changes for all nodes. */
    interface Node {

        /**
         * Checks and returns a change for all nodes, for {@link #follow}. Changes nothing.
         *
         * @param before the change for all nodes that is replaced; {@code null} for none
         * @return {@code null} if nothing is left of the change
         * @throws IllegalArgumentException if a value is wrong, or does not fit the other changes
         */
        @Nullable RuntimeChange draft(
                RuntimeChange.Target target,
                @Nullable RuntimeChange before,
                Map<String, @Nullable String> values,
                @Nullable Duration lasting,
                @Nullable String by);

        /**
         * Checks whether a change for all nodes could be followed. Changes nothing.
         *
         * @throws IllegalArgumentException if it does not fit the other changes
         */
        void check(RuntimeChange.Target target, @Nullable RuntimeChange after, @Nullable String by);

        /**
         * Follows a change for all nodes, which was made here or elsewhere.
         *
         * @param shared the change; {@code null} if it was reverted or has expired
         * @param isLatest asked when the change would take effect, perhaps with a lock held: whether it still is to
         * @return the answer of {@code isLatest}
         * @throws IllegalArgumentException if it does not fit this process; nothing has changed then
         */
        boolean follow(
                RuntimeChange.Target target,
                @Nullable RuntimeChange shared,
                @Nullable String by,
                BooleanSupplier isLatest);
    }

    /** The database that all nodes share did not respond. */
    final class SharedStoreException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        public SharedStoreException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
