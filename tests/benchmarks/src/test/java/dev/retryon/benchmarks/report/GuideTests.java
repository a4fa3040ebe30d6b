/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.retryon.benchmarks.measure.Figures;
import dev.retryon.benchmarks.measure.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GuideTests {

    private static final String GUIDE = "before\n<!-- table: %s -->\nold\n<!-- end of table -->\nafter\n";

    @TempDir
    Path folder;

    @Test
    void theLatestReportOfAComparisonIsShown() throws Exception {
        write("jdk-17", "2026-01-01", 3, outcome("engine-succeed", 2.0));
        write("jdk-17-again", "2026-01-02", 1, outcome("engine-succeed", 1.5));
        write("jdk-17-quick", "2026-01-03", 9, outcome("engine-succeed", 9.0));
        write("jdk-25", "2026-01-04", 9, outcome("engine-succeed", 8.0));
        String guide = Guide.refreshed(GUIDE.formatted("engine-17"), folder);
        assertThat(guide)
                .startsWith("before\n<!-- table: engine-17 -->\n\n| JDK 17 | succeeds at once |")
                .contains("| limit | 1.00 (10.0 ns) | – |", "| **RetryOn** | 1.50 | – |")
                .endsWith("|\n\n<!-- end of table -->\nafter\n")
                .doesNotContain("old");
        assertThat(Guide.refreshed(guide, folder)).isEqualTo(guide);
    }

    @Test
    void ofOneDayTheReportWithMostRoundsIsShown() throws Exception {
        write("jdk-17-a", "2026-01-01", 15, outcome("start-up", 1.02));
        write("jdk-17-b", "2026-01-01", 3, outcome("start-up", 1.2));
        assertThat(Guide.refreshed(GUIDE.formatted("start-up"), folder)).contains("| **RetryOn** | 1.02 | – | 50 |");
    }

    @Test
    void waitsShowTheRatioOfProcessorTime() throws Exception {
        write("jdk-25", "2026-01-01", 1, outcome("waits-1000", 1.01));
        assertThat(Guide.refreshed(GUIDE.formatted("waits-25"), folder)).contains("| **RetryOn** | 1.01 | 50 | 1.25 |");
    }

    @Test
    void whatWasNotMeasuredIsNoTable() throws Exception {
        assertThat(Guide.refreshed(GUIDE.formatted("waits-17"), folder)).contains("\nNot measured yet.\n");
    }

    @ParameterizedTest
    @CsvSource({"performance.md, proxy-17", "internals/benchmarks.md, engine-25"})
    void everyMarkOfThePagesIsKnown(String page, String table) throws Exception {
        String guide = Files.readString(Path.of("..", "..", "docs", page));
        assertThat(Guide.refreshed(guide, folder)).contains("<!-- table: " + table + " -->\n\nNot measured yet.");
    }

    @Test
    void anUnknownMarkIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Guide.refreshed(GUIDE.formatted("typo"), folder))
                .withMessage("there is no table 'typo'");
    }

    private static Outcome outcome(String id, double ratio) {
        return new Outcome(
                id,
                "Calls",
                "ns",
                "B/call",
                List.of(
                        new Figures("limit", false, 10, 1, 40, List.of(10.0), List.of(1.0)),
                        new Figures("RetryOn", true, 10 * ratio, ratio, 50, List.of(10 * ratio), List.of(ratio))));
    }

    private void write(String name, String taken, int rounds, Outcome outcome) throws Exception {
        Machine machine = new Machine(2, "Some processor", "Linux", "17.0.1", "Somebody");
        Report report = new Report(taken, rounds, machine, Map.of("RetryOn", "1.0"), List.of(outcome));
        ReportFiles.write(report, folder, name);
    }
}
