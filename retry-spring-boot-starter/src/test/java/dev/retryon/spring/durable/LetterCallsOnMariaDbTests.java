/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import dev.retryon.spring.store.TestMariaDb;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class LetterCallsOnMariaDbTests extends LetterCallsTests {

    @Override
    ApplicationContextRunner database() {
        return DurableTrial.inMemory()
                .withPropertyValues(
                        "spring.datasource.url=" + TestMariaDb.database(), "retryon.jdbc.initialize-schema=always");
    }
}
