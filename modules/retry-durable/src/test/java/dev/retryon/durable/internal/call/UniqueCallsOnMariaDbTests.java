// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

@Tag("database")
class UniqueCallsOnMariaDbTests extends UniqueCallsTests {

    @Override
    ApplicationContextRunner database() {
        return DurableTrial.mariaDb();
    }

    /** With the default isolation of MariaDB, a snapshot might still have the call that has ended since. */
    @Test
    void aTransactionThatSeesAnEndedCallStoresAnotherOne() {
        application().withPropertyValues("retryon.durable.threads=2").run(context -> {
            Search search = context.getBean(Search.class);
            Item item = context.getBean(Item.class);
            search.push("7");
            TransactionTemplate snapshot = transaction(context);
            snapshot.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
            snapshot.executeWithoutResult(status -> {
                assertThat(DurableTrial.stored(context)).isOne();
                await().until(() -> CompletableFuture.supplyAsync(() -> DurableTrial.stored(context))
                                .join()
                        == 0);
                item.state = "new";
                search.push("7");
            });

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(item.pushed).containsExactly("old", "new");
        });
    }
}
