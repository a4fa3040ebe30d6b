/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import static dev.retryon.RetryBudgetSimulation.CALLS_PER_SECOND;
import static dev.retryon.RetryBudgetSimulation.OUTAGE_FROM;
import static dev.retryon.RetryBudgetSimulation.OUTAGE_TO;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class RetryBudgetSimulationTests {

    @Test
    void aBudgetKeepsTheLoadOfAnOutageNearTheNormalOne() {
        RetryBudgetSimulation.Load without = RetryBudgetSimulation.run(false);
        RetryBudgetSimulation.Load with = RetryBudgetSimulation.run(true);

        // The first seconds have the tokens of the time before, and the waits between retries.
        int from = OUTAGE_FROM + 5;
        assertThat(without.mean(from, OUTAGE_TO) / CALLS_PER_SECOND).isBetween(3.9, 4.1); // 4 = 1 + 3 retries
        assertThat(with.mean(from, OUTAGE_TO) / CALLS_PER_SECOND).isBetween(1.2, 1.25); // 1 + 0.2 + 5 · 10 / 1 250
        assertThat(with.most(from, OUTAGE_TO) / (double) CALLS_PER_SECOND).isLessThan(1.35);
        assertThat(with.recovered()).isEqualTo(OUTAGE_TO).isLessThan(without.recovered());
    }
}
