// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

@Tag("database")
class OrderedCallsOnPostgresTests extends OrderedCallsTests {

    @Override
    ApplicationContextRunner database() {
        return DurableTrial.postgres();
    }

    @Test
    void aSnapshotFromBeforeAnotherCallIsRejected() {
        application(0).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            shipping.send("a1");
            TransactionTemplate snapshot = transaction(context);
            snapshot.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
            assertThatExceptionOfType(ConcurrencyFailureException.class)
                    .isThrownBy(() -> snapshot.executeWithoutResult(status -> {
                        assertThat(DurableTrial.stored(context)).isOne();
                        CompletableFuture.runAsync(() -> shipping.send("a2")).join();
                        shipping.send("a3");
                    }));
            snapshot.executeWithoutResult(status -> shipping.send("a4"));
        });
    }
}
