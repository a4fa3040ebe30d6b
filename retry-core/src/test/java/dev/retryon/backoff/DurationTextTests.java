// SPDX-License-Identifier: Apache-2.0
package dev.retryon.backoff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTests {

    @ParameterizedTest
    @CsvSource({
        "250ms, PT0.25S",
        "0.5s, PT0.5S",
        ".25S, PT0.25S",
        "1.5m, PT1M30S",
        "0.001us, PT0.000000001S",
        "-0.5s, PT-0.5S",
        "+3d, PT72H",
        "1500, PT1.5S",
        "9223372036854775807s, PT2562047788015215H30M7S",
        "' PT0.5S ', PT0.5S"
    })
    void reads(String text, Duration duration) {
        assertThat(DurationText.parse(text)).isEqualTo(duration);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "0.5", "1.s", "1,5s", "1e3s", "0.5ns", "9223372036854775808s", "5 parsecs", "--1s", "1s2ms"})
    void refuses(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DurationText.parse(text))
                .withMessageContaining("'" + text + "' is not a duration");
    }
}
