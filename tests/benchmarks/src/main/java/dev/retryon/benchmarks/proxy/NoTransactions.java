// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.proxy;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.SimpleTransactionStatus;

/** Transactions without a resource, to measure the advice alone. */
final class NoTransactions implements PlatformTransactionManager {

    private long begun;

    /** Returns the number of transactions. The number is exact if only one thread calls. */
    long begun() {
        return begun;
    }

    @Override
    public TransactionStatus getTransaction(@Nullable TransactionDefinition definition) {
        begun++;
        return new SimpleTransactionStatus();
    }

    @Override
    public void commit(TransactionStatus status) {}

    @Override
    public void rollback(TransactionStatus status) {}
}
