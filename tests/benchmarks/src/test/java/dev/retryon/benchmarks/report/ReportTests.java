/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.benchmarks.load.LoadFigures;
import dev.retryon.benchmarks.load.LoadSample;
import dev.retryon.benchmarks.measure.Figures;
import dev.retryon.benchmarks.measure.Outcome;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

class ReportTests {

    private final Report report = new Report(
            "2026-01-02",
            3,
            new Machine(2, "Some <Processor>", "Linux", "17.0.1", "Somebody"),
            Map.of("RetryOn", "1.0"),
            List.of(new Outcome(
                    "id",
                    "Calls & retries",
                    "ns",
                    "B/call",
                    List.of(
                            new Figures("limit", false, 25, 1, 120, List.of(25.0), List.of(1.0)),
                            new Figures("RetryOn", true, 1234.5, 49.38, 0.2, List.of(1234.5), List.of(49.38))))));

    @Test
    void tablesShowTimesRatiosAndBytes() {
        assertThat(Tables.of(report))
                .contains("2 × Some <Processor>, Linux, JDK 17.0.1 (Somebody); median of 3 rounds; 2026-01-02.")
                .containsPattern("\\| limit +\\| +25\\.0 \\| +1\\.00 \\| +120 \\|")
                .containsPattern("\\| \\*\\*RetryOn\\*\\* +\\| +1,23[45] \\| +49\\.4 \\| +0 \\|");
    }

    @Test
    void thePlotIsWellFormedAndKnowsTheDark() throws Exception {
        String svg = Plot.of(report);
        Document document = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
        assertThat(document.getElementsByTagName("rect").getLength()).isEqualTo(3); // 1 background + 2 bars
        assertThat(svg).contains("prefers-color-scheme: dark").contains("class=\"ours\"");
    }

    @Test
    void jsonHoldsEveryRound() {
        assertThat(Json.of(report)).contains("\"times\" : [ 1234.5 ]").contains("\"cores\" : 2");
    }

    @Test
    void aLoadIsATableAndJson() {
        LoadReport load = new LoadReport(
                "2026-01-02",
                1,
                report.machine(),
                report.versions(),
                100_000,
                1000,
                2,
                List.of(LoadFigures.of(
                        "RetryOn", true, 100_000, List.of(new LoadSample(2345.6, 1, 43_210_000, 100_000, 99_999)))));
        assertThat(LoadTable.of(load))
                .contains("median of 1 round; 2026-01-02.", "RetryOn 1.0", "100,000 asynchronous calls")
                .containsPattern(
                        "\\| \\*\\*RetryOn\\*\\* +\\| +2,346 \\| +1 \\| +43\\.2 \\| +432 \\| +100,000 \\| +99,999 \\|");
        assertThat(Json.of(load)).contains("\"executorThreads\" : 2", "\"wallMillis\" : 2345.6");
    }

    @Test
    void aScaleBeginsBelowTheSmallestValue() {
        Scale scale = Scale.over(DoubleStream.of(10, 99));
        assertThat(scale).isEqualTo(new Scale(0, 2));
        assertThat(scale.position(10, 100)).isEqualTo(50); // one of two powers
    }

    @Test
    void versionsAreFilledIn() throws Exception {
        assertThat(Versions.current().values()).isNotEmpty().noneMatch(version -> version.contains("$"));
        assertThat(Versions.current()).containsKeys("Spring Boot", "Spring Framework", "RetryOn");
    }
}
