/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks;

import dev.retryon.benchmarks.durable.DurableRun;
import dev.retryon.benchmarks.load.LoadRounds;
import dev.retryon.benchmarks.measure.Comparison;
import dev.retryon.benchmarks.measure.Contender;
import dev.retryon.benchmarks.measure.Pace;
import dev.retryon.benchmarks.measure.Rounds;
import dev.retryon.benchmarks.report.Guide;
import dev.retryon.benchmarks.report.LoadReport;
import dev.retryon.benchmarks.report.LoadTable;
import dev.retryon.benchmarks.report.Report;
import dev.retryon.benchmarks.report.ReportFiles;
import dev.retryon.benchmarks.report.Tables;
import dev.retryon.benchmarks.startup.StartUps;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The command: measures, prints tables, and writes them with a plot and all figures. */
public final class Benchmarks {

    private Benchmarks() {}

    /**
     * Runs the benchmarks.
     *
     * @param arguments see {@link Options#USAGE}
     * @throws Exception if a measurement fails
     */
    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        Options options;
        try {
            options = Options.parse(List.of(arguments));
        } catch (IllegalArgumentException ex) {
            out.println(ex.getMessage() + "\n\n" + Options.USAGE);
            System.exit(2);
            return;
        }
        if (options.guide()) {
            Guide.refresh(Path.of("docs", "performance.md"), options.out());
            Guide.refresh(Path.of("docs", "internals", "benchmarks.md"), options.out());
            return;
        }
        if (options.durable()) {
            int rounds = options.pace().rounds();
            DurableRun.run(options.only(), rounds, options.quick(), options.waiting(), options.seconds(), out);
            return;
        }
        if (options.load()) {
            load(options, out);
            return;
        }
        try (StartUps startUps = new StartUps()) {
            List<Comparison> comparisons = comparisons(startUps)
                    .filter(comparison ->
                            options.only().matcher(comparison.id()).find())
                    .toList();
            if (options.list()) {
                comparisons.forEach(comparison -> list(comparison, out));
            } else {
                measure(comparisons, options, out);
            }
        }
    }

    private static Stream<Comparison> comparisons(StartUps startUps) {
        return Stream.of(ProxyComparisons.all(), EngineComparisons.all(), ApplicationComparisons.all(startUps))
                .flatMap(List::stream);
    }

    private static void list(Comparison comparison, PrintStream out) {
        out.printf("%s: %s%n", comparison.id(), comparison.title());
        for (Contender contender : comparison.contenders()) {
            out.println("    " + contender.label());
        }
    }

    private static void measure(List<Comparison> comparisons, Options options, PrintStream out) throws Exception {
        Pace pace = options.pace();
        Report report = Report.of(pace, new Rounds(pace, out).run(comparisons));
        out.println();
        out.println(Tables.of(report));
        ReportFiles.write(report, options.out(), options.reportName()).forEach(file -> out.println("written: " + file));
    }

    private static void load(Options options, PrintStream out) throws Exception {
        int rounds = options.pace().rounds();
        LoadReport report = LoadReport.of(rounds, LoadRounds.run(rounds, Names::of, Names.OURS, out));
        out.println();
        out.println(LoadTable.of(report));
        ReportFiles.write(report, options.out(), options.reportName()).forEach(file -> out.println("written: " + file));
    }
}
