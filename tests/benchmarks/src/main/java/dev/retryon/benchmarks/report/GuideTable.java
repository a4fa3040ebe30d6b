/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.report;

import dev.retryon.benchmarks.measure.Figures;
import dev.retryon.benchmarks.measure.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A table of the performance guide: a row for each contender, a column for each figure. */
final class GuideTable {

    private static final String NONE = "–";

    private final String corner;

    private final List<Column> columns = new ArrayList<>();

    GuideTable(String corner) {
        this.corner = corner;
    }

    /** A column and the outcome that it shows; {@code null} for what was not measured. */
    private record Column(String header, @Nullable Outcome outcome, BiFunction<Outcome, Figures, String> cell) {}

    /** Ratios to the limit. The limit's own row has its time. */
    GuideTable ratios(String header, @Nullable Outcome outcome) {
        columns.add(new Column(header, outcome, (of, figures) -> {
            boolean limit = figures.equals(of.figures().get(0));
            return ratio(figures.ratio()) + (limit ? " (" + Numbers.time(figures.time()) + " " + of.unit() + ")" : "");
        }));
        return this;
    }

    /** Times, in the outcome's unit. */
    GuideTable times(String header, @Nullable Outcome outcome) {
        columns.add(new Column(header, outcome, (of, figures) -> Numbers.time(figures.time())));
        return this;
    }

    /** Bytes, or what stands in their place. */
    GuideTable bytes(String header, @Nullable Outcome outcome) {
        columns.add(new Column(header, outcome, (of, figures) -> Numbers.bytes(figures.bytes())));
        return this;
    }

    /** Bytes, or what stands in their place, divided by those of the limit; medians by medians. */
    GuideTable byteRatios(String header, @Nullable Outcome outcome) {
        columns.add(new Column(
                header,
                outcome,
                (of, figures) -> ratio(figures.bytes() / of.figures().get(0).bytes())));
        return this;
    }

    private static String ratio(double value) {
        return String.format(Locale.ROOT, value < 1.995 ? "%.2f" : value < 9.95 ? "%.1f" : "%,.0f", value);
    }

    /** The table as Markdown, or a sentence if nothing of it was measured. Contenders stand as in the comparison with most of them. */
    String markdown() {
        Set<String> labels = labels();
        if (labels.isEmpty()) {
            return "Not measured yet.\n";
        }
        StringBuilder text = new StringBuilder(corner.isEmpty() ? "| |" : "| " + corner + " |");
        columns.forEach(column -> text.append(" ").append(column.header()).append(" |"));
        text.append("\n|---|").append("---:|".repeat(columns.size())).append("\n");
        for (String label : labels) {
            text.append("| ").append(label).append(" |");
            columns.forEach(
                    column -> text.append(" ").append(cell(column, label)).append(" |"));
            text.append("\n");
        }
        return text.toString();
    }

    private Set<String> labels() {
        return columns.stream()
                .map(Column::outcome)
                .filter(outcome -> outcome != null)
                .sorted((one, other) -> other.figures().size() - one.figures().size())
                .flatMap(outcome -> outcome.figures().stream())
                .map(GuideTable::label)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static String label(Figures figures) {
        return figures.ours() ? "**" + figures.label() + "**" : figures.label();
    }

    private static String cell(Column column, String label) {
        Outcome outcome = column.outcome();
        return outcome == null
                ? NONE
                : outcome.figures().stream()
                        .filter(figures -> label(figures).equals(label))
                        .findFirst()
                        .map(figures -> column.cell().apply(outcome, figures))
                        .orElse(NONE);
    }
}
