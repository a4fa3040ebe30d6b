// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import org.junit.jupiter.api.Tag;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** MariaDB has no times with a zone: they are stored in UTC only if the driver and db-scheduler are told so. */
@Tag("database")
class HazardsOnMariaDbTests extends DurabilityHazardsTests {

    @Override
    ApplicationContextRunner database() {
        return DurableTrial.mariaDb().withPropertyValues("trial.times=datetime(6)");
    }

    @Override
    String utc(String column) {
        return column;
    }
}
