// SPDX-License-Identifier: Apache-2.0
package dev.retryon.endurance.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.endurance.Endurance;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each test runs without faults of the code that users plug in, and with a fault in two of 100 of its calls. */
@Tag("endurance")
@Timeout(value = 1, unit = TimeUnit.HOURS)
class SoakTests {

    private static final int SECONDS = 7;

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void callsOfEveryKindAddUp(int faultsPercent) throws Exception {
        check("soak", Soak.run(time(), faultsPercent), faultsPercent);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void eachAcceptedDurableCallRunsOnceOrIsADeadLetter(int faultsPercent) throws Exception {
        check("soak-durable", DurableSoak.run(time(), faultsPercent), faultsPercent);
    }

    private static Duration time() {
        return Duration.ofSeconds(Endurance.seconds(SECONDS));
    }

    private static void check(String name, Soak.Outcome outcome, int faultsPercent) throws IOException {
        Endurance.report(faultsPercent == 0 ? name : name + "-faults", outcome.lines());
        assertThat(outcome.violations()).as("%s", outcome.lines()).isEmpty();
    }
}
