// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.shared;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.spring.module.ChangesForAllNodes;
import dev.retryon.spring.module.ChangesForAllNodes.SharedStoreException;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.RuntimeChange;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes changes for all nodes to the table, and applies its rows. Each row is applied as a whole or not at all. A row that
 * cannot be applied is reported once, and tried again at each reading. No lock is held, because beans that are created for a
 * change, and listeners of the change, can wait for other changes. Thread-safe.
 */
final class SharedChanges {

    private static final int ATTEMPTS = 10;

    private final Supplier<SharedChangeTable> table;

    private final Supplier<ChangesForAllNodes.Node> settings;

    private final ExtensionErrors errors;

    private final Clock clock;

    /**
     * The changes that this node follows. A row replaces only the row that was followed before the new row was read or
     * written; otherwise, the new row is dropped. An older row therefore never replaces a newer one.
     */
    private final Map<SharedChangeRow.Key, SharedChangeRow> followed = new ConcurrentHashMap<>();

    private final Map<SharedChangeRow.Key, SharedChangeRow> refused = new ConcurrentHashMap<>();

    SharedChanges(
            Supplier<SharedChangeTable> table,
            Supplier<ChangesForAllNodes.Node> settings,
            ExtensionErrors errors,
            Clock clock) {
        this.table = table;
        this.settings = settings;
        this.errors = errors;
        this.clock = clock;
    }

    /** Reads the table and follows its rows. Throws the database's exceptions. */
    void read() {
        Map<SharedChangeRow.Key, SharedChangeRow> before = Map.copyOf(followed);
        List<SharedChangeRow> rows = table.get().all();
        rows.forEach(row -> follow(row, before.get(row.key())));
        Set<SharedChangeRow.Key> keys = rows.stream().map(SharedChangeRow::key).collect(Collectors.toSet());
        refused.keySet().removeIf(key -> !keys.contains(key) && !followed.containsKey(key));
        for (SharedChangeRow gone : before.values()) {
            if (!keys.contains(gone.key())) {
                end(gone);
            }
        }
    }

    /**
     * Follows a row that was read or written while {@code before} was followed, or reports why this is impossible.
     * Returns {@code false} if another row, which might be newer, was followed since then.
     */
    private boolean follow(SharedChangeRow row, @Nullable SharedChangeRow before) {
        Instant now = clock.instant();
        // A change might not have ended in time, because its end would have contradicted other changes.
        if (row.equals(before) && !row.isOver(now)) {
            return true;
        }
        try {
            RuntimeChange change = row.change(now);
            String by = change == null ? row.takenBackBy() : change.by();
            if (!settings.get().follow(row.key().target(), change, by, () -> takeThePlace(row, before))) {
                return false;
            }
            refused.remove(row.key());
        } catch (RuntimeException ex) {
            refuse(row, "a change for all nodes was not applied on this node", ex);
        }
        return true;
    }

    private boolean takeThePlace(SharedChangeRow row, @Nullable SharedChangeRow before) {
        return before == null ? followed.putIfAbsent(row.key(), row) == null : followed.replace(row.key(), before, row);
    }

    private @Nullable SharedChangeRow read(SharedChangeRow.Key key) {
        SharedChangeRow before;
        SharedChangeRow row;
        do {
            before = followed.get(key);
            row = table.get().find(key).orElse(null);
        } while (row != null && !follow(row, before));
        return row;
    }

    /** Ends a change whose row no longer exists. If this fails, it is tried again at each reading. */
    private void end(SharedChangeRow gone) {
        try {
            if (settings.get().follow(gone.key().target(), null, null, () -> followed.remove(gone.key(), gone))) {
                refused.remove(gone.key());
            }
        } catch (RuntimeException ex) {
            refuse(gone, "a change was removed for all nodes, but still applies on this node", ex);
        }
    }

    private void refuse(SharedChangeRow row, String consequence, RuntimeException reason) {
        if (!row.equals(refused.put(row.key(), row))) {
            errors.reportToOperator(
                    ExtensionErrorListener.Kind.CONFIGURATION,
                    consequence + " (" + row.key() + "): " + reason.getMessage(),
                    reason);
        }
    }

    /**
     * Changes settings for all nodes. Returns the change that applies now; {@code null} if none is left.
     *
     * @throws IllegalArgumentException if a value is wrong; in that case, nothing has changed
     * @throws SharedStoreException if the store does not respond
     */
    @Nullable RuntimeChange change(
            RuntimeChange.Target target,
            Map<String, @Nullable String> values,
            @Nullable Duration lasting,
            @Nullable String by) {
        if (target.name().length() > RetryStore.LONGEST_NAME) {
            throw new IllegalArgumentException("a method or policy with a name of more than " + RetryStore.LONGEST_NAME
                    + " characters cannot be changed for all nodes");
        }
        return replace(target, by, row -> settings.get().draft(target, holding(row), values, lasting, by))
                .change();
    }

    /**
     * Reverts changes for all nodes, even unreadable ones. Returns {@code false} if nothing was changed.
     *
     * @throws SharedStoreException if the store does not respond
     */
    boolean takeBack(RuntimeChange.Target target, @Nullable String by) {
        return replace(target, by, row -> {
                    settings.get().check(target, null);
                    return null;
                })
                .isDifferent();
    }

    private @Nullable RuntimeChange holding(@Nullable SharedChangeRow row) {
        try {
            return row == null ? null : row.change(clock.instant());
        } catch (IllegalArgumentException ex) {
            throw new IllegalArgumentException(
                    "an earlier change for all nodes cannot be read on this node (" + ex.getMessage()
                            + "); remove it first: DELETE with scope=all",
                    ex);
        }
    }

    private record Written(@Nullable RuntimeChange change, boolean isDifferent) {}

    /** Returns the change that must apply according to a row. */
    private interface Replacement {

        @Nullable RuntimeChange of(@Nullable SharedChangeRow before);
    }

    private Written replace(RuntimeChange.Target target, @Nullable String by, Replacement replacement) {
        try {
            for (int i = 0; i < ATTEMPTS; i++) {
                Written written = tryToReplace(SharedChangeRow.Key.of(target), by, replacement);
                if (written != null) {
                    return written;
                }
            }
            throw new IllegalStateException("the same settings are being changed by another request; try again");
        } catch (IllegalArgumentException ex) {
            throw ex;
        } catch (RuntimeException ex) {
            throw new SharedStoreException(
                    "the store that all nodes share did not respond ("
                            + ex.getClass().getSimpleName() + "); check the list of changes before you try again",
                    ex);
        }
    }

    /** Returns {@code null} if another program has written the row meanwhile. */
    private @Nullable Written tryToReplace(SharedChangeRow.Key key, @Nullable String by, Replacement replacement) {
        // Changes of other threads or nodes are applied first, so that they are published here too.
        SharedChangeRow before = read(key);
        SharedChangeRow held = followed.get(key);
        RuntimeChange after = replacement.of(before);
        if (after == null && (before == null || before.isOver(clock.instant()))) {
            return new Written(null, false);
        }
        long version = before == null ? 1 : before.version() + 1;
        SharedChangeRow row = after == null
                ? SharedChangeRow.takenBack(key, clock.instant(), by, version)
                : SharedChangeRow.of(after, version);
        var unusedReadable = row.change(clock.instant());
        if (!table.get().replace(before, row)) {
            return null;
        }
        if (!follow(row, held)) {
            // Meanwhile, another thread has followed the row that it had read before or after this write.
            var unusedLatest = read(key);
        }
        return new Written(after, true);
    }
}
