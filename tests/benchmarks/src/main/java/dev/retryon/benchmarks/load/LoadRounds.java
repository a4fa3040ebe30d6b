/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.load;

import dev.retryon.benchmarks.measure.ClassPath;
import dev.retryon.benchmarks.measure.ForkedJava;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** Puts the load on each contender in turn, in a new JVM each time; every other round runs backwards. */
public final class LoadRounds {

    /** How many calls are in flight together. */
    public static final int CALLS = 100_000;

    /** How long each waits before its second attempt, and again before its third. */
    public static final int DELAY_MILLIS = 1000;

    private LoadRounds() {}

    /**
     * Measures.
     *
     * @param rounds how many times each contender is measured
     * @param names what the contenders are called
     * @param ours what the names of ours begin with
     * @param progress receives each sample
     * @return the figures of each contender
     * @throws IOException if a JVM fails
     * @throws InterruptedException if the wait for it is interrupted
     */
    public static List<LoadFigures> run(
            int rounds, Function<LoadEngine, String> names, String ours, PrintStream progress)
            throws IOException, InterruptedException {
        List<LoadEngine> engines = List.of(LoadEngine.values());
        List<List<LoadSample>> samples = new ArrayList<>();
        engines.forEach(engine -> samples.add(new ArrayList<>()));
        for (int round = 1; round <= rounds; round++) {
            for (int turn = 0; turn < engines.size(); turn++) {
                int index = round % 2 == 1 ? turn : engines.size() - 1 - turn;
                LoadEngine engine = engines.get(index);
                LoadSample sample = take(engine);
                samples.get(index).add(sample);
                progress.printf(
                        Locale.ROOT,
                        "round %d of %d  %-40s %,10.0f ms %4d threads %,14d B %,9d completed%n",
                        round,
                        rounds,
                        names.apply(engine),
                        sample.wallMillis(),
                        sample.threads(),
                        sample.heapBytes(),
                        sample.completed());
            }
        }
        List<LoadFigures> figures = new ArrayList<>();
        for (int i = 0; i < engines.size(); i++) {
            String name = names.apply(engines.get(i));
            figures.add(LoadFigures.of(name, name.startsWith(ours), CALLS, samples.get(i)));
        }
        return figures;
    }

    private static LoadSample take(LoadEngine engine) throws IOException, InterruptedException {
        return LoadSample.of(ForkedJava.run(
                LoadSample.LINE,
                ClassPath.of(file -> true),
                Load.class,
                engine.name(),
                String.valueOf(CALLS),
                String.valueOf(DELAY_MILLIS)));
    }
}
