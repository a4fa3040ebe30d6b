// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.control;

import java.time.Duration;
import java.util.Map;
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
}
