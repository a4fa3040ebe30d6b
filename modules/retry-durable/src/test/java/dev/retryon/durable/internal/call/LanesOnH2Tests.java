// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

@Tag("endurance")
class LanesOnH2Tests extends LanesTests {

    @Override
    ApplicationContextRunner newDatabase() {
        return h2();
    }

    /** A database that outlives an application. */
    static ApplicationContextRunner h2() {
        return DurableTrial.inMemory()
                .withPropertyValues(
                        "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                        "retryon.jdbc.initialize-schema=always");
    }
}
