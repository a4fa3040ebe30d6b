// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

final class CallerTransaction {

    private static final TransactionDefinition ASK =
            new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_SUPPORTS);

    private final List<PlatformTransactionManager> managers;

    enum State {
        /** No transaction, and no connection that belongs to the thread. */
        NONE,

        /** No transaction, or a transaction that has ended, but the thread might still have a connection. */
        ENDED,

        OF_STORE,

        /** A transaction of another database or of another transaction manager. */
        OF_OTHERS
    }

    /** Asks the managers whose transactions the store's database takes part in. */
    CallerTransaction(DataSource dataSource, List<PlatformTransactionManager> ruling) {
        // Transactions of managers that are not beans are found by their data source.
        this.managers = Stream.concat(Stream.of(new JdbcTransactionManager(dataSource)), ruling.stream())
                .toList();
    }

    State state() {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            if (managers.stream().anyMatch(manager -> isNeverSynchronized(manager) && isActive(manager))) {
                return State.OF_STORE;
            }
            // Synchronization ends before callbacks run after completion, while the connection is still bound.
            return TransactionSynchronizationManager.getResourceMap().isEmpty()
                            && !TransactionSynchronizationManager.isActualTransactionActive()
                    ? State.NONE
                    : State.ENDED;
        }
        if (!TransactionSynchronizationManager.isActualTransactionActive() || CommitMark.isSet()) {
            return State.ENDED;
        }
        return managers.stream().anyMatch(CallerTransaction::isActive) ? State.OF_STORE : State.OF_OTHERS;
    }

    /** Returns whether a manager's transactions have no synchronization, and therefore no callbacks after their end. */
    private static boolean isNeverSynchronized(PlatformTransactionManager manager) {
        return manager instanceof AbstractPlatformTransactionManager configured
                && configured.getTransactionSynchronization()
                        == AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER;
    }

    /** Does not begin anything that must end, because synchronization is already active, or never begins. */
    private static boolean isActive(PlatformTransactionManager manager) {
        return manager.getTransaction(ASK).hasTransaction();
    }
}
