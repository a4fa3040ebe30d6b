/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.measure;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures comparisons in rounds. Within a round the contenders of a comparison are measured one right after the other,
 * so that a machine that grows slower or faster does it to all of them; every other round runs backwards.
 */
public final class Rounds {

    private final Pace pace;

    private final PrintStream progress;

    /**
     * Prepares rounds.
     *
     * @param pace how many, and how long
     * @param progress receives each figure
     */
    public Rounds(Pace pace, PrintStream progress) {
        this.pace = pace;
        this.progress = progress;
    }

    /**
     * Measures.
     *
     * @param comparisons what
     * @return their outcomes, in the same order
     * @throws Exception if a measurement fails
     */
    public List<Outcome> run(List<Comparison> comparisons) throws Exception {
        List<Sheet> sheets = comparisons.stream().map(Sheet::new).toList();
        for (int round = 1; round <= pace.rounds(); round++) {
            for (Sheet sheet : sheets) {
                measure(sheet, round);
            }
        }
        return sheets.stream().map(Sheet::outcome).toList();
    }

    private void measure(Sheet sheet, int round) throws Exception {
        Comparison comparison = sheet.comparison;
        int count = comparison.contenders().size();
        for (int turn = 0; turn < count; turn++) {
            int index = round % 2 == 1 ? turn : count - 1 - turn;
            Contender contender = comparison.contenders().get(index);
            Sample sample = contender.gauge().take(pace);
            sheet.samples.get(index).add(sample);
            progress.printf(
                    Locale.ROOT,
                    "round %d of %d  %-24s %-36s %,14.2f %s %,14.1f B%n",
                    round,
                    pace.rounds(),
                    comparison.id(),
                    contender.label(),
                    comparison.unit().from(sample.nanos()),
                    comparison.unit().symbol(),
                    sample.bytes());
        }
    }

    /** A comparison and the samples of its contenders. */
    private static final class Sheet {

        private final Comparison comparison;

        private final List<List<Sample>> samples = new ArrayList<>();

        private Sheet(Comparison comparison) {
            this.comparison = comparison;
            comparison.contenders().forEach(contender -> samples.add(new ArrayList<>()));
        }

        private Outcome outcome() {
            List<Figures> figures = new ArrayList<>();
            for (int i = 0; i < samples.size(); i++) {
                figures.add(
                        Figures.of(comparison.contenders().get(i), comparison.unit(), samples.get(i), samples.get(0)));
            }
            return new Outcome(
                    comparison.id(), comparison.title(), comparison.unit().symbol(), comparison.bytes(), figures);
        }
    }
}
