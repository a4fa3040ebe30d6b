// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import org.junit.jupiter.api.Tag;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** With the same isolation by default as MariaDB. */
@Tag("database")
class UniqueCallsOnMySqlTests extends UniqueCallsOnMariaDbTests {

    @Override
    ApplicationContextRunner database() {
        return DurableTrial.mySql();
    }
}
