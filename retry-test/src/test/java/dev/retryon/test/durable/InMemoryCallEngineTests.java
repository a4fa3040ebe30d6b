/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.test.durable;

import dev.retryon.durable.CallEngine;
import dev.retryon.test.VirtualTime;
import java.time.Duration;
import org.springframework.transaction.PlatformTransactionManager;

class InMemoryCallEngineTests extends CallEngineContract {

    private final InMemoryCallEngine engine = new InMemoryCallEngine(new VirtualTime());

    @Override
    protected CallEngine engine() {
        return engine;
    }

    @Override
    protected PlatformTransactionManager transactionManager() {
        return new PlainTransactions();
    }

    @Override
    protected void tick() {
        engine.run(Duration.ofMillis(10));
    }
}
