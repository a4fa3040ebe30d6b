/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.report;

import dev.retryon.benchmarks.load.LoadFigures;
import java.util.Locale;

/** A report of a load as Markdown, which is also what the console shows. */
public final class LoadTable {

    private LoadTable() {}

    /**
     * Writes a report as a table.
     *
     * @param report the report
     * @return Markdown
     */
    public static String of(LoadReport report) {
        StringBuilder text = new StringBuilder("# JDK ")
                .append(report.machine().jdk())
                .append("\n\n")
                .append(report.machine().origin(report.rounds(), report.taken()))
                .append(".\n\n")
                .append(Tables.versions(report.versions()))
                .append(String.format(
                        Locale.ROOT,
                        ".\n\n## %,d asynchronous calls in flight together, each fails twice and waits %,d ms each time\n\n",
                        report.calls(),
                        report.delayMillis()))
                .append("An executor of ")
                .append(report.executorThreads())
                .append(
                        " threads each. Of threads, calls in flight and completed calls, the worst round is shown.\n\n");
        append(
                text,
                "`load`",
                "all done, ms",
                "threads beyond",
                "heap waiting, MB",
                "B a waiting call",
                "in flight",
                "completed");
        text.append("|:%s|%s:|%s:|%s:|%s:|%s:|%s:|\n"
                .formatted(
                        "-".repeat(41),
                        "-".repeat(13),
                        "-".repeat(15),
                        "-".repeat(17),
                        "-".repeat(17),
                        "-".repeat(10),
                        "-".repeat(10)));
        report.figures().forEach(figures -> append(text, figures));
        return text.toString();
    }

    private static void append(StringBuilder text, LoadFigures figures) {
        append(
                text,
                figures.ours() ? "**" + figures.label() + "**" : figures.label(),
                Numbers.time(figures.wallMillis()),
                String.valueOf(figures.threads()),
                Numbers.time(figures.heapBytes() / 1e6),
                Numbers.bytes(figures.bytesPerCall()),
                Numbers.bytes(figures.inFlight()),
                Numbers.bytes(figures.completed()));
    }

    private static void append(StringBuilder text, String... cells) {
        text.append("| %-40s | %12s | %14s | %16s | %16s | %9s | %9s |\n".formatted((Object[]) cells));
    }
}
