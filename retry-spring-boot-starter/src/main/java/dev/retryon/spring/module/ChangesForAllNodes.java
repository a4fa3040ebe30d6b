// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import java.time.Duration;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Changes settings on all nodes of an application. A module provides the implementation, which stores the changes in a
 * database.
 */
public interface ChangesForAllNodes {

    /** Returns whether settings can be changed for all nodes, which requires a shared database. */
    boolean isShared();

    /**
     * Changes settings for all nodes. Earlier changes of the same scope and name stay in effect unless this change
     * replaces them. This node applies the change immediately.
     *
     * @param values the new values as text, by attribute such as {@code maxAttempts}; {@code null} reverts a value
     * @param lasting the time after which the change expires, more than zero and at most 365 days; {@code null} if it
     *     never expires
     * @param by the user who makes the change, or {@code null}
     * @return the change that is now in effect; {@code null} if no changed value remains
     * @throws IllegalArgumentException if a value is invalid or no shared database exists; nothing is changed then
     * @throws SharedStoreException if the database does not respond
     */
    @Nullable RuntimeChange change(
            RuntimeChange.Scope scope,
            String name,
            Map<String, @Nullable String> values,
            @Nullable Duration lasting,
            @Nullable String by);

    /**
     * Reverts all changes for all nodes that have the given scope and name.
     *
     * @return {@code false} if no such change existed
     * @throws IllegalArgumentException if no shared database exists
     * @throws SharedStoreException if the database does not respond
     */
    boolean takeBack(RuntimeChange.Scope scope, String name, @Nullable String by);

    /** The settings of this node, to which changes for all nodes are applied. */
    interface Node {

        /**
         * Checks a change for all nodes and returns it for {@link #follow}, without applying it.
         *
         * @param before the earlier change for all nodes that this change replaces; {@code null} if none exists
         * @return the change; {@code null} if no changed value remains
         * @throws IllegalArgumentException if a value is invalid or contradicts the other changes
         */
        @Nullable RuntimeChange draft(
                RuntimeChange.Target target,
                @Nullable RuntimeChange before,
                Map<String, @Nullable String> values,
                @Nullable Duration lasting,
                @Nullable String by);

        /**
         * Checks whether a change for all nodes could be applied to this node, without applying it.
         *
         * @throws IllegalArgumentException if the change contradicts the other changes
         */
        void check(RuntimeChange.Target target, @Nullable RuntimeChange after);

        /**
         * Applies a change for all nodes that was made on this node or another one.
         *
         * @param shared the change; {@code null} if it was reverted or has expired
         * @param isLatest called immediately before the change takes effect, perhaps while a lock is held; returns
         *     whether the change is still the latest
         * @return the result of {@code isLatest}
         * @throws IllegalArgumentException if the change cannot be applied in this process; nothing is changed then
         */
        boolean follow(
                RuntimeChange.Target target,
                @Nullable RuntimeChange shared,
                @Nullable String by,
                BooleanSupplier isLatest);
    }

    /** Thrown if the database that all nodes share does not respond. */
    final class SharedStoreException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        public SharedStoreException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
