/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The short form of the {@link Soak}. */
class SoakTests {

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void everythingAddsUp(int faultsPercent) throws InterruptedException {
        Soak.Outcome outcome = Soak.run(Duration.ofSeconds(3), faultsPercent);
        assertThat(outcome.violations()).as("%s", outcome.lines()).isEmpty();
    }
}
