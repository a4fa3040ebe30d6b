// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.RetryContext;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetryWarning;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Finds calls whose caller has a transaction that is marked for rollback, and warns once for each name. Thread-safe. */
public final class CallerTransactions implements Predicate<RetryContext> {

    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    private final RetryFaults faults;

    public CallerTransactions(RetryFaults faults) {
        this.faults = faults;
    }

    @Override
    public boolean test(RetryContext call) {
        if (!isRollbackOnly()) {
            return false;
        }
        if (warned.add(call.name())) {
            String transaction = TransactionSynchronizationManager.getCurrentTransactionName();
            faults.warn(
                    RetryWarning.ROLLBACK_ONLY,
                    call.name() + " failed within its caller's transaction"
                            + (transaction == null ? "" : " (" + transaction + ")")
                            + ", which is marked for rollback, so the call is not retried; retry where the transaction"
                            + " begins, or give the method its own transaction");
        }
        return true;
    }

    /** Requires active synchronizations, which end before the transaction; code after them is not part of the transaction. */
    private static boolean isRollbackOnly() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive()
                && (isStatusRollbackOnly() || isResourceRollbackOnly());
    }

    private static boolean isStatusRollbackOnly() {
        try {
            TransactionStatus status = TransactionAspectSupport.currentTransactionStatus();
            return status.isRollbackOnly() && !isOfOuterTransaction(status);
        } catch (NoTransactionException ex) {
            return false; // begun programmatically
        }
    }

    /** Returns whether a status belongs to the annotated method's transaction, within which code has begun another one. */
    private static boolean isOfOuterTransaction(TransactionStatus status) {
        String current = TransactionSynchronizationManager.getCurrentTransactionName();
        return status.isNewTransaction() && !status.getTransactionName().equals(current == null ? "" : current);
    }

    private static boolean isResourceRollbackOnly() {
        return TransactionSynchronizationManager.getResourceMap().values().stream()
                .anyMatch(resource -> resource instanceof ResourceHolderSupport holder && holder.isRollbackOnly());
    }
}
