/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.shared;

import dev.retryon.spring.control.RuntimeChange;
import dev.retryon.spring.control.RuntimeSettings;
import dev.retryon.spring.settings.RuntimeFaults;
import dev.retryon.spring.store.RetryStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes changes for all nodes to the table, and follows what is in it. Each row is followed as a whole or not at all; one that
 * can't be followed is reported once, and tried again with each reading. Thread-safe.
 */
final class SharedChanges {

    private static final int ATTEMPTS = 10;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final Supplier<SharedChangeTable> table;

    private final Supplier<RuntimeSettings> settings;

    private final RuntimeFaults faults;

    private final Clock clock;

    /** Held from reading or writing a row until it is followed, so that an older one never takes the place of a newer one. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Map<SharedChangeRow.Key, SharedChangeRow> followed = new HashMap<>();

    private final Map<SharedChangeRow.Key, SharedChangeRow> refused = new HashMap<>();

    SharedChanges(
            Supplier<SharedChangeTable> table, Supplier<RuntimeSettings> settings, RuntimeFaults faults, Clock clock) {
        this.table = table;
        this.settings = settings;
        this.faults = faults;
        this.clock = clock;
    }

    /** Reads the table and follows it; throws what the database throws. */
    void read() {
        lock.lock();
        try {
            List<SharedChangeRow> rows = table.get().all();
            rows.forEach(this::follow);
            Set<SharedChangeRow.Key> keys =
                    rows.stream().map(SharedChangeRow::key).collect(Collectors.toSet());
            refused.keySet().removeIf(key -> !keys.contains(key) && !followed.containsKey(key));
            for (SharedChangeRow gone : new ArrayList<>(followed.values())) {
                if (!keys.contains(gone.key())) {
                    end(gone);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void follow(SharedChangeRow row) {
        Instant now = clock.instant();
        // What is over may not have ended when its time came, because other changes contradicted what would have been
        // left.
        if (row.equals(followed.get(row.key())) && !row.isOver(now)) {
            return;
        }
        try {
            RuntimeChange change = row.change(now);
            settings.get().follow(row.key().target(), change, change == null ? row.takenBackBy() : change.by());
            followed.put(row.key(), row);
            refused.remove(row.key());
        } catch (RuntimeException ex) {
            refuse(row, "what was changed for all nodes does not hold on this one, ", ex);
        }
    }

    /** Ends a change whose row is gone; tried again with each reading. */
    private void end(SharedChangeRow gone) {
        try {
            settings.get().follow(gone.key().target(), null, null);
            followed.remove(gone.key());
            refused.remove(gone.key());
        } catch (RuntimeException ex) {
            refuse(gone, "what was taken back for all nodes still holds on this one, ", ex);
        }
    }

    private void refuse(SharedChangeRow row, String consequence, RuntimeException reason) {
        if (!row.equals(refused.put(row.key(), row))) {
            faults.reportToOperator(
                    RuntimeFaults.Kind.CONFIGURATION, consequence + row.key() + ": " + reason.getMessage(), reason);
        }
    }

    /**
     * Changes settings for all nodes.
     *
     * @return what holds now; {@code null} if nothing is left of it
     * @throws IllegalArgumentException if anything is wrong; nothing has changed then
     * @throws SharedStoreException if the store can't be asked
     */
    @Nullable RuntimeChange change(
            RuntimeChange.Target target,
            Map<String, @Nullable String> values,
            @Nullable Duration lasting,
            @Nullable String by) {
        if (target.name().length() > RetryStore.LONGEST_NAME) {
            throw new IllegalArgumentException("what has a name of more than " + RetryStore.LONGEST_NAME
                    + " characters can't be changed for all nodes");
        }
        return replace(target, by, row -> settings.get().draft(target, holding(row), values, lasting, by))
                .change();
    }

    /**
     * Takes back what was changed for all nodes, even what can't be read here.
     *
     * @return {@code false} if nothing was changed
     * @throws SharedStoreException if the store can't be asked
     */
    boolean takeBack(RuntimeChange.Target target, @Nullable String by) {
        return replace(target, by, row -> {
                    settings.get().check(target, null, by);
                    return null;
                })
                .isDifferent();
    }

    private @Nullable RuntimeChange holding(@Nullable SharedChangeRow row) {
        try {
            return row == null ? null : row.change(clock.instant());
        } catch (IllegalArgumentException ex) {
            throw new IllegalArgumentException(
                    "what was changed for all nodes before can't be read here (" + ex.getMessage()
                            + "); take it back first, by DELETE with scope=all",
                    ex);
        }
    }

    private record Written(@Nullable RuntimeChange change, boolean isDifferent) {}

    /** Gives what is to hold in the place of a row. */
    private interface Replacement {

        @Nullable RuntimeChange of(@Nullable SharedChangeRow before);
    }

    private Written replace(RuntimeChange.Target target, @Nullable String by, Replacement replacement) {
        try {
            if (!lock.tryLock(LONGEST_WAIT.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new IllegalStateException("the last reading has not ended");
            }
        } catch (InterruptedException | IllegalStateException ex) {
            if (ex instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw unavailable("nothing was changed", ex);
        }
        try {
            for (int i = 0; i < ATTEMPTS; i++) {
                Written written = tryToReplace(SharedChangeRow.Key.of(target), by, replacement);
                if (written != null) {
                    return written;
                }
            }
            throw new IllegalStateException("others change the same at this moment");
        } catch (IllegalArgumentException ex) {
            throw ex;
        } catch (RuntimeException ex) {
            throw unavailable("look at the changes before you try again", ex);
        } finally {
            lock.unlock();
        }
    }

    private static SharedStoreException unavailable(String consequence, Exception cause) {
        return new SharedStoreException(
                "the store that all nodes share gives no answer (" + cause.getMessage() + "); " + consequence, cause);
    }

    /** Returns {@code null} if another program has written the row meanwhile. */
    private @Nullable Written tryToReplace(SharedChangeRow.Key key, @Nullable String by, Replacement replacement) {
        SharedChangeRow before = table.get().find(key).orElse(null);
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
        follow(row);
        return new Written(after, true);
    }
}
