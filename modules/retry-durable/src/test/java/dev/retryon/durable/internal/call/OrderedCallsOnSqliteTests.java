// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class OrderedCallsOnSqliteTests extends OrderedCallsTests {

    @TempDir
    private Path folder;

    @Override
    ApplicationContextRunner database() {
        return DurableTrial.inMemory()
                .withPropertyValues(
                        "spring.datasource.url=jdbc:sqlite:" + folder.resolve("shop.db"),
                        "spring.datasource.hikari.maximum-pool-size=1",
                        "retryon.jdbc.initialize-schema=always");
    }

    @Override
    boolean writesConcurrently() {
        return false;
    }
}
