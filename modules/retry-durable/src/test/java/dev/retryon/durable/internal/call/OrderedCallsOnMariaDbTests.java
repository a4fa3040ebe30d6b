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
class OrderedCallsOnMariaDbTests extends OrderedCallsTests {

    @Override
    ApplicationContextRunner database() {
        return DurableTrial.mariaDb();
    }

    /** With the default isolation, the snapshot has neither the end of the first call nor the second one. */
    @Test
    void aSnapshotFromBeforeTheOtherCallsKeepsTheOrder() {
        application(2).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            Partner partner = context.getBean(Partner.class);
            partner.down.add("a1");
            shipping.send("a1");
            TransactionTemplate snapshot = transaction(context);
            snapshot.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
            snapshot.executeWithoutResult(status -> {
                assertThat(DurableTrial.stored(context)).isOne();
                CompletableFuture.runAsync(() -> {
                            partner.down.add("a2");
                            partner.down.remove("a1");
                            shipping.send("a2");
                            await().until(() -> partner.sent.contains("a1"));
                        })
                        .join();
                shipping.send("a3");
            });
            partner.down.clear();

            await().until(() -> partner.sent.size() == 3);
            assertThat(partner.sent).containsExactly("a1", "a2", "a3");
        });
    }
}
