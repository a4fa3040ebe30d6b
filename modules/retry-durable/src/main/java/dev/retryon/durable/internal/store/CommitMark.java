// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Remembers that the thread's transaction is committed. While callbacks run after the commit, Spring still calls the
 * transaction active, and its connection is still bound; but statements on that connection are no longer committed. Code
 * that runs during the commit, such as a callback of an entity that Hibernate flushes, is still part of the transaction.
 *
 * <p>The mark is the first synchronization of the transaction, so it is suspended, resumed and removed with the others.
 */
final class CommitMark implements TransactionExecutionListener {

    /** One shared object, so that a transaction manager that several applications share gets it only once. */
    static final CommitMark LISTENER = new CommitMark();

    private CommitMark() {}

    /** Returns whether the thread's transaction is committed. Requires active synchronization. */
    static boolean isSet() {
        return isAny(mark -> mark.isCommitted);
    }

    /** Returns whether the thread's transaction certainly rolls back. Use only in callbacks before its completion. */
    static boolean isRollback() {
        return isAny(mark -> !mark.isCommitting);
    }

    private static boolean isAny(Predicate<Mark> condition) {
        return TransactionSynchronizationManager.getSynchronizations().stream()
                .anyMatch(each -> each instanceof Mark mark && condition.test(mark));
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
        // Not for a savepoint, nor for a transaction of a manager without synchronization inside a synchronized one.
        if (failure == null
                && transaction.isNewTransaction()
                && transaction instanceof DefaultTransactionStatus status
                && status.isNewSynchronization()
                && TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new Mark());
        }
    }

    private static final class Mark implements TransactionSynchronization {

        private boolean isCommitting;

        private boolean isCommitted;

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            isCommitting = true;
        }

        @Override
        public void afterCommit() {
            isCommitted = true;
        }
    }
}
