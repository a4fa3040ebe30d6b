// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A write at the end of a transaction that commits, because its lock keeps others waiting. All last writes of a transaction
 * run in the order of their keys, so two transactions with the same keys do not wait for each other.
 */
public final class LastWrite implements TransactionSynchronization {

    private final RetryStore store;

    private final String key;

    private final Runnable write;

    /** The savepoints of the transaction since this write was registered. */
    private final Set<Object> savepoints = Collections.newSetFromMap(new IdentityHashMap<>());

    private boolean done;

    /** The error that has ended the transaction, which then commits nothing. */
    private @Nullable RuntimeException lost;

    private LastWrite(RetryStore store, String key, Runnable write) {
        this.store = store;
        this.key = key;
        this.write = write;
    }

    public static void register(RetryStore store, String key, Runnable write) {
        TransactionSynchronizationManager.registerSynchronization(new LastWrite(store, key, write));
    }

    public static boolean isRegistered(String key) {
        return ofTransaction().anyMatch(each -> each.key.equals(key));
    }

    private static Stream<LastWrite> ofTransaction() {
        return TransactionSynchronizationManager.getSynchronizations().stream()
                .filter(LastWrite.class::isInstance)
                .map(LastWrite.class::cast);
    }

    @Override
    public void savepoint(Object savepoint) {
        savepoints.add(savepoint);
    }

    /** Discards the call if it was stored after the savepoint. */
    @Override
    public void savepointRollback(Object savepoint) {
        done |= !savepoints.contains(savepoint);
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        ofTransaction().sorted(Comparator.comparing(each -> each.key)).forEach(LastWrite::write);
    }

    private void write() {
        if (!done) {
            write.run();
            done = true;
        }
    }

    /** Writes the call of a BEFORE_COMMIT listener, which comes too late for {@link #beforeCommit}. */
    @Override
    public void beforeCompletion() {
        if (!CommitMark.isRollback()) {
            try {
                beforeCommit(false);
            } catch (RuntimeException ex) {
                // A failed transaction might accept no statements. If the transaction commits, this write follows it,
                // unless the database has rolled the transaction back because of the conflict.
                if (DatabaseErrors.CONFLICT.include(ex)) {
                    ofTransaction().forEach(each -> each.lost = ex);
                }
            }
        }
    }

    @Override
    public void afterCommit() {
        if (lost != null) {
            throw lost;
        }
        if (!done) {
            store.writeSingle(write);
        }
    }
}
