// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static dev.retryon.RetryBudgetSimulation.INSTANCES;
import static dev.retryon.RetryBudgetSimulation.OUTAGE_FROM;
import static dev.retryon.RetryBudgetSimulation.OUTAGE_TO;
import static dev.retryon.RetryBudgetSimulation.callsPerSecond;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RetryBudgetSimulationTests {

    /** The first seconds have the tokens of the time before, and the waits between retries. */
    private static final int FROM = OUTAGE_FROM + 5;

    @Test
    @Tag("slow")
    void aBudgetKeepsTheLoadOfAnOutageNearTheNormalOne() {
        assertLoad(1, 1.4); // with fewer calls in a second, chance changes their number more
    }

    @Test
    @Tag("endurance")
    void theBudgetsOfSeveralInstancesDoTheSame() {
        assertLoad(INSTANCES, 1.35);
    }

    private static void assertLoad(int instances, double most) {
        RetryBudgetSimulation.Load without = RetryBudgetSimulation.run(false, instances);
        RetryBudgetSimulation.Load with = RetryBudgetSimulation.run(true, instances);

        double normal = callsPerSecond(instances);
        assertThat(without.mean(FROM, OUTAGE_TO) / normal).isBetween(3.9, 4.1); // 4 = 1 + 3 retries
        assertThat(with.mean(FROM, OUTAGE_TO) / normal).isBetween(1.2, 1.25); // 1 + 0.2 + 10 / 250
        assertThat(with.most(FROM, OUTAGE_TO) / normal).isLessThan(most);
        assertThat(with.recovered()).isEqualTo(OUTAGE_TO).isLessThan(without.recovered());
    }
}
