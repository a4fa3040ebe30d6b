/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.report;

import dev.retryon.benchmarks.measure.Figures;
import dev.retryon.benchmarks.measure.Outcome;
import java.util.Map;
import java.util.stream.Collectors;

/** A report as Markdown, which is also what the console shows. */
public final class Tables {

    private Tables() {}

    /**
     * Writes a report as tables.
     *
     * @param report the report
     * @return Markdown
     */
    public static String of(Report report) {
        StringBuilder text = new StringBuilder("# JDK ")
                .append(report.machine().jdk())
                .append("\n\n")
                .append(report.origin())
                .append(".\n\n")
                .append(versions(report.versions()))
                .append(".\n\nRatios are to the first row, computed within each round.\n");
        report.outcomes().forEach(outcome -> append(text, outcome));
        return text.toString();
    }

    static String versions(Map<String, String> versions) {
        return versions.entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining(" · "));
    }

    private static void append(StringBuilder text, Outcome outcome) {
        text.append("\n## ").append(outcome.title()).append("\n\n");
        text.append("| %-36s | %10s | %8s | %10s |\n"
                .formatted("`" + outcome.id() + "`", outcome.unit(), "ratio", outcome.bytes()));
        text.append("|:%s|%s:|%s:|%s:|\n".formatted("-".repeat(37), "-".repeat(11), "-".repeat(9), "-".repeat(11)));
        for (Figures figures : outcome.figures()) {
            text.append("| %-36s | %10s | %8s | %10s |\n"
                    .formatted(
                            figures.ours() ? "**" + figures.label() + "**" : figures.label(),
                            Numbers.time(figures.time()),
                            Numbers.ratio(figures.ratio()),
                            Numbers.bytes(figures.bytes())));
        }
    }
}
