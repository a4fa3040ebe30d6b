// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import java.util.concurrent.CompletableFuture;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Stores calls to methods that return publishers. This is a separate class, because Reactor can be missing. */
final class OutboxPublisher {

    private OutboxPublisher() {}

    /**
     * Stores a call on subscription: in the transaction of the subscriber's thread, or else on a thread that may block.
     *
     * @param apart whether a call may be stored although the store cannot take part in the caller's transaction
     */
    static Mono<Void> storing(Runnable storing, boolean apart) {
        return inReactiveTransaction().flatMap(active -> {
            if (active && !apart) {
                return Mono.error(new IllegalTransactionStateException(
                        "a durable call cannot be stored in a reactive transaction, because the store uses JDBC. Call the"
                                + " method outside the transaction, or in a transaction of the store's"
                                + " PlatformTransactionManager. With retryon.durable.outbox-apart=true, the call is"
                                + " stored even if the transaction is rolled back."));
            }
            if (TransactionSynchronizationManager.isActualTransactionActive()) {
                return Mono.fromRunnable(storing);
            }
            // A subscriber that cancels must not interrupt a thread that writes.
            return Mono.fromFuture(
                    CompletableFuture.runAsync(
                            storing, task -> Schedulers.boundedElastic().schedule(task)),
                    true);
        });
    }

    private static Mono<Boolean> inReactiveTransaction() {
        return org.springframework.transaction.reactive.TransactionSynchronizationManager.forCurrentTransaction()
                .map(transaction -> transaction.isActualTransactionActive())
                .onErrorReturn(NoTransactionException.class, false);
    }
}
