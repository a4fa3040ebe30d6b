/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.report;

import dev.retryon.benchmarks.measure.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tables of the performance guide, from the reports that were written. The guide marks where each stands; what is between
 * the marks is replaced. Of a comparison that several reports have, the latest report counts, and of those of one day that with
 * the most rounds. Looks and parts ({@code -quick}, {@code -part}) do not count.
 */
public final class Guide {

    private static final Pattern TABLE =
            Pattern.compile("(?s)(<!-- table: ([a-z0-9-]+) -->\n).*?(<!-- end of table -->)");

    private static final List<String> JDKS = List.of("17", "25");

    private final Map<String, Map<String, Outcome>> outcomes = new TreeMap<>();

    private Guide(Path folder) throws IOException {
        for (String jdk : JDKS) {
            Map<String, Outcome> known = new TreeMap<>();
            reports(folder, jdk)
                    .forEach(report -> report.outcomes().forEach(outcome -> known.put(outcome.id(), outcome)));
            outcomes.put(jdk, known);
        }
    }

    /**
     * Renews the tables of a guide.
     *
     * @param guide the guide, which is written anew
     * @param folder where the reports are
     * @throws IOException if a report or the guide can't be read, or the guide can't be written
     * @throws IllegalArgumentException if the guide has a mark of a table that is not known
     */
    public static void refresh(Path guide, Path folder) throws IOException {
        Files.writeString(guide, refreshed(Files.readString(guide), folder));
    }

    static String refreshed(String guide, Path folder) throws IOException {
        Guide tables = new Guide(folder);
        return TABLE.matcher(guide)
                .replaceAll(found -> Matcher.quoteReplacement(
                        found.group(1) + "\n" + tables.table(found.group(2)) + "\n" + found.group(3)));
    }

    /** Those of a JDK, the one that counts most last. */
    private static List<Report> reports(Path folder, String jdk) throws IOException {
        Pattern name = Pattern.compile("jdk-" + jdk + "(?!.*-(load|quick|part)\\.json$)(-.+)?\\.json");
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(
                            file -> name.matcher(file.getFileName().toString()).matches())
                    .map(Json::read)
                    .sorted(Comparator.comparing(Report::taken).thenComparing(Report::rounds))
                    .toList();
        }
    }

    private @Nullable Outcome of(String jdk, String comparison) {
        return outcomes.getOrDefault(jdk, Map.of()).get(comparison);
    }

    private String table(String name) {
        return switch (name) {
            case "proxy-17" -> proxy("17");
            case "proxy-25" -> proxy("25");
            case "transactions" -> transactions();
            case "engine-17" -> engine("17");
            case "engine-25" -> engine("25");
            case "async" -> async();
            case "waits-17" -> waits("17", 1_000, 4_000);
            case "waits-25" -> waits("25", 1_000, 10_000, 50_000);
            case "growth" -> growth();
            case "start-up" -> startUp("start-up");
            case "start-up-unretried" -> startUp("start-up-unretried");
            default -> throw new IllegalArgumentException("there is no table '" + name + "'");
        };
    }

    private String proxy(String jdk) {
        return new GuideTable("JDK " + jdk)
                .ratios("succeeds at once ÷ E", of(jdk, "proxy-succeed"))
                .bytes("B", of(jdk, "proxy-succeed"))
                .ratios("2 threads ÷ E", of(jdk, "proxy-succeed-2"))
                .ratios("fails twice ÷ H", of(jdk, "proxy-fail-twice"))
                .bytes("B", of(jdk, "proxy-fail-twice"))
                .ratios("64 frames deeper ÷ H", of(jdk, "proxy-fail-twice-deep"))
                .ratios("not retryable ÷ E", of(jdk, "proxy-refuse"))
                .ratios("all fail ÷ H", of(jdk, "proxy-exhaust"))
                .ratios("a condition decides ÷ H", of(jdk, "proxy-gate"))
                .markdown();
    }

    private String transactions() {
        return new GuideTable("")
                .ratios("succeeds at once, 17", of("17", "proxy-tx-succeed"))
                .ratios("25", of("25", "proxy-tx-succeed"))
                .bytes("B, 17", of("17", "proxy-tx-succeed"))
                .ratios("fails twice, 17", of("17", "proxy-tx-fail-twice"))
                .ratios("25", of("25", "proxy-tx-fail-twice"))
                .markdown();
    }

    private String engine(String jdk) {
        return new GuideTable("JDK " + jdk)
                .ratios("succeeds at once", of(jdk, "engine-succeed"))
                .ratios("fails twice", of(jdk, "engine-fail-twice"))
                .ratios("not retryable", of(jdk, "engine-refuse"))
                .ratios("all fail", of(jdk, "engine-exhaust"))
                .ratios("a condition decides", of(jdk, "engine-gate"))
                .markdown();
    }

    private String async() {
        return new GuideTable("")
                .times("JDK 17: ms", of("17", "async"))
                .bytes("B a call", of("17", "async"))
                .times("JDK 25: ms", of("25", "async"))
                .bytes("B a call", of("25", "async"))
                .bytes("B kept by a waiting call, 17", of("17", "async-waiting"))
                .bytes("25", of("25", "async-waiting"))
                .markdown();
    }

    private String waits(String jdk, int... sizes) {
        GuideTable table = new GuideTable("JDK " + jdk);
        for (int size : sizes) {
            Outcome outcome = of(jdk, "waits-" + size);
            table.ratios("%,d calls: time".formatted(size), outcome)
                    .bytes("ms of CPU", outcome)
                    .byteRatios("ratio", outcome);
        }
        return table.markdown();
    }

    private String growth() {
        GuideTable table = new GuideTable("");
        for (String jdk : JDKS) {
            table.ratios("JDK " + jdk + ": a proxy's attempt", of(jdk, "proxy-attempts"))
                    .ratios("of Retry.call", of(jdk, "engine-attempts"))
                    .ratios("beside methods", of(jdk, "methods"));
        }
        return table.markdown();
    }

    private String startUp(String comparison) {
        return new GuideTable("")
                .ratios("JDK 17", of("17", comparison))
                .ratios("JDK 25", of("25", comparison))
                .bytes("B of heap in use, 17", of("17", comparison))
                .markdown();
    }
}
