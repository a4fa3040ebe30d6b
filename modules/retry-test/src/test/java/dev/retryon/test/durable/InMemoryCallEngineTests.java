// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.durable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.test.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.PlatformTransactionManager;

class InMemoryCallEngineTests extends CallEngineContract {

    private final VirtualTime time = new VirtualTime();

    private final InMemoryCallStore store = new InMemoryCallStore(time);

    private final InMemoryCallEngine engine = new InMemoryCallEngine(time, store);

    @Override
    protected CallEngine engine() {
        return engine;
    }

    @Override
    protected CallStore store() {
        return store;
    }

    @Override
    protected PlatformTransactionManager transactionManager() {
        return new PlainTransactions();
    }

    @Override
    protected void tick() {
        engine.run(Duration.ofMillis(10));
    }

    @Test
    void aCallWhoseWorkerHasNotEndedTheLeaseIsRevived() {
        Instant stored = time.instant();
        engine.add(null, "a", new byte[0], new CallEngine.Label("Mails.send", null, 0, stored, "default", ""), stored);
        List<Boolean> revived = new ArrayList<>();
        engine.start(lease -> revived.add(lease.isRevived()));
        assertThat(engine.run(Duration.ofSeconds(59))).isEqualTo(1);
        assertThat(engine.run(Duration.ofSeconds(1))).isEqualTo(1);
        assertThat(revived).containsExactly(false, true);
    }
}
