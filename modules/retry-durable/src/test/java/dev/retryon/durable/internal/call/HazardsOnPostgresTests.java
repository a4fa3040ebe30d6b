/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.call;

import org.junit.jupiter.api.Tag;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** PostgreSQL is the one where calls are held as they are found. */
@Tag("database")
class HazardsOnPostgresTests extends DurabilityHazardsTests {

    @Override
    ApplicationContextRunner database() {
        return DurableTrial.postgres().withPropertyValues("trial.bytes=bytea");
    }
}
