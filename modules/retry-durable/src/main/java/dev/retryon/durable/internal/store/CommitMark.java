// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import java.util.List;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Remembers that the thread's transaction is committed. While callbacks run after the commit, Spring still calls the transaction
 * active, and its connection is still bound; but no code commits a statement on that connection. Code that runs during the
 * commit, such as a callback of an entity that Hibernate flushes, is still part of the transaction.
 *
 * <p>The mark is one of the synchronizations of the transaction, so it is suspended, resumed and removed with them.
 */
final class CommitMark implements TransactionExecutionListener {

    /** One for all, so that a transaction manager that several applications share gets it once. */
    static final CommitMark LISTENER = new CommitMark();

    private CommitMark() {}

    /** Whether the thread's transaction is committed; only where synchronization is active. */
    static boolean isSet() {
        return TransactionSynchronizationManager.getSynchronizations().stream()
                .anyMatch(each -> each instanceof Mark mark && mark.isCommitted);
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        // Not for a savepoint, nor for a transaction of a manager that does not synchronize, inside of one that does.
        if (transaction.isNewTransaction()
                && transaction instanceof DefaultTransactionStatus status
                && status.isNewSynchronization()
                && TransactionSynchronizationManager.isSynchronizationActive()) {
            registerFirst(new Mark());
        }
    }

    /** Spring keeps the order in which synchronizations of the same precedence are registered. */
    private static void registerFirst(Mark mark) {
        List<TransactionSynchronization> others = TransactionSynchronizationManager.getSynchronizations();
        TransactionSynchronizationManager.clearSynchronization();
        TransactionSynchronizationManager.initSynchronization();
        TransactionSynchronizationManager.registerSynchronization(mark);
        others.forEach(TransactionSynchronizationManager::registerSynchronization);
    }

    private static final class Mark implements TransactionSynchronization {

        private boolean isCommitted;

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }

        @Override
        public void afterCommit() {
            isCommitted = true;
        }
    }
}
