/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.store;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Remembers that the commit of the thread's transaction has begun. Spring still calls the transaction active, and its connection is
 * still bound, while callbacks run after the commit; but a statement on that connection is committed by nobody.
 *
 * <p>The mark is one of the synchronizations of the transaction, so it is suspended, resumed and removed with them.
 */
final class CommitMark implements TransactionExecutionListener {

    /** One for all, so that a transaction manager that several applications share gets it once. */
    static final CommitMark LISTENER = new CommitMark();

    private static final TransactionSynchronization MARK = new TransactionSynchronization() {};

    private CommitMark() {}

    /** Whether the commit of the thread's transaction has begun; only where synchronization is active. */
    static boolean isSet() {
        return TransactionSynchronizationManager.getSynchronizations().contains(MARK);
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        // Not for a savepoint, nor for a transaction of a manager that does not synchronize, inside of one that does.
        if (transaction.isNewTransaction()
                && transaction instanceof DefaultTransactionStatus status
                && status.isNewSynchronization()
                && TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(MARK);
        }
    }
}
