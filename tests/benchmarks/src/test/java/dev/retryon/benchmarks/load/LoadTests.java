/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LoadTests {

    @ParameterizedTest
    @EnumSource
    void everyCallHasItsThirdAttempt(LoadEngine engine) throws Exception {
        LoadSample sample = new Load(engine, 2_000).measure(Duration.ofMillis(50));
        assertThat(sample.completed()).isEqualTo(2_000);
        assertThat(sample.threads()).isLessThanOrEqualTo(4);
        assertThat(sample.wallMillis()).isGreaterThanOrEqualTo(100); // two waits
    }

    @Test
    void aSampleGetsFromOneJvmToAnother() {
        LoadSample sample = new LoadSample(2345.678, 1, 12_345_678, 100_000, 99_999);
        Matcher line = LoadSample.LINE.matcher("a warning\n" + sample.line() + "\n");
        assertThat(line.find()).isTrue();
        assertThat(LoadSample.of(line)).isEqualTo(sample);
    }

    @Test
    void figuresAreMediansOfWhatVariesAndTheWorstOfWhatMustHold() {
        LoadFigures figures = LoadFigures.of(
                "x",
                true,
                10,
                List.of(
                        new LoadSample(30, 1, 300, 10, 10),
                        new LoadSample(10, 3, 100, 9, 10),
                        new LoadSample(20, 2, 200, 10, 8)));
        assertThat(figures.wallMillis()).isEqualTo(20);
        assertThat(figures.heapBytes()).isEqualTo(200);
        assertThat(figures.bytesPerCall()).isEqualTo(20); // 200 / 10
        assertThat(figures.threads()).isEqualTo(3);
        assertThat(figures.inFlight()).isEqualTo(9);
        assertThat(figures.completed()).isEqualTo(8);
    }
}
