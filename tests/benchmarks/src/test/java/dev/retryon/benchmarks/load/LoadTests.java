// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LoadTests {

    @ParameterizedTest
    @EnumSource
    void everyCallHasItsThirdAttempt(LoadEngine engine) throws Exception {
        Load.Sample sample = new Load(engine, 2_000).measure(Duration.ofMillis(50));
        assertThat(sample.completed()).isEqualTo(2_000);
        assertThat(sample.threads()).isLessThanOrEqualTo(4);
        assertThat(sample.wallMillis()).isGreaterThanOrEqualTo(100); // two waits
    }
}
