/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.retryon.benchmarks.measure.Pace;
import java.util.List;
import org.junit.jupiter.api.Test;

class OptionsTests {

    private final String jdk = "jdk-" + Runtime.version().feature();

    @Test
    void withoutAnyItMeasuresEverythingThoroughly() {
        Options options = Options.parse(List.of());
        assertThat(options.pace()).isEqualTo(Pace.thorough());
        assertThat(options.reportName()).isEqualTo(jdk);
    }

    @Test
    void aLookOrAPartDoesNotReplaceTheWhole() {
        assertThat(Options.parse(List.of("--quick")).reportName()).isEqualTo(jdk + "-quick");
        assertThat(Options.parse(List.of("--only", "proxy")).reportName()).isEqualTo(jdk + "-part");
        assertThat(Options.parse(List.of("--quick", "--name", "x")).reportName())
                .isEqualTo("x");
    }

    @Test
    void aLoadIsAReportOfItsOwnAndNoComparison() {
        assertThat(Options.parse(List.of("--load")).reportName()).isEqualTo(jdk + "-load");
        assertThat(Options.parse(List.of("--load", "--quick")).reportName()).isEqualTo(jdk + "-load-quick");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse(List.of("--load", "--only", "proxy")))
                .withMessage("--load is no comparison, and does not go with --list or --only");
        assertThatIllegalArgumentException().isThrownBy(() -> Options.parse(List.of("--list", "--load")));
    }

    @Test
    void durableCallsAreMeasuredByThemselves() {
        Options options = Options.parse(List.of("--durable", "--only", "sqlite", "--waiting", "1000000"));
        assertThat(options.durable()).isTrue();
        assertThat(options.waiting()).isEqualTo(1_000_000);
        assertThatIllegalArgumentException().isThrownBy(() -> Options.parse(List.of("--durable", "--load")));
    }

    @Test
    void aLookLeavesVariantsOutUnlessTheyAreAskedFor() {
        assertThat(Options.parse(List.of("--quick")).only())
                .matches(only -> only.matcher("proxy-succeed").find())
                .matches(only -> !only.matcher("proxy-succeed-2").find());
        assertThat(Options.parse(List.of("--quick", "--only", "succeed")).only())
                .matches(only -> only.matcher("proxy-succeed-2").find());
    }

    @Test
    void roundsCanBeChosen() {
        assertThat(Options.parse(List.of("--rounds", "7")).pace())
                .isEqualTo(Pace.thorough().withRounds(7));
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse(List.of("--fast")))
                .withMessage("there is no option '--fast'");
        assertThatIllegalArgumentException().isThrownBy(() -> Options.parse(List.of("--only")));
        assertThatIllegalArgumentException().isThrownBy(() -> Options.parse(List.of("--rounds", "none")));
    }
}
