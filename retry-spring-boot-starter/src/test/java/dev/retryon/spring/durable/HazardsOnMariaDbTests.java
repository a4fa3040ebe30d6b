/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import dev.retryon.spring.store.TestMariaDb;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** MariaDB has no times with a zone: they are stored in UTC only if the driver and db-scheduler are told so. */
class HazardsOnMariaDbTests extends DurabilityHazardsTests {

    @Override
    ApplicationContextRunner database() {
        return DurableTrial.inMemory()
                .withPropertyValues(
                        "spring.datasource.url=" + TestMariaDb.database(),
                        "retryon.jdbc.initialize-schema=always",
                        "trial.times=datetime(6)");
    }

    @Override
    String utc(String column) {
        return column;
    }
}
