// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import org.junit.jupiter.api.Tag;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

@Tag("database")
@Tag("endurance")
class OnFailureOnMySqlTests extends OnFailureTests {

    @Override
    ApplicationContextRunner database() {
        return DurableTrial.mySql();
    }
}
