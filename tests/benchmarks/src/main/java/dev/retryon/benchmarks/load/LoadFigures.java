/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.load;

import dev.retryon.benchmarks.measure.Figures;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What was seen of one contender, over all rounds.
 *
 * @param label its name
 * @param ours whether it is RetryOn
 * @param wallMillis the median time
 * @param threads the most threads beyond the executor's, of any round
 * @param heapBytes the median of the heap in use while all calls wait
 * @param bytesPerCall the same, for one call
 * @param inFlight the fewest calls in flight together, of any round
 * @param completed the fewest calls completed, of any round
 * @param rounds what each round showed
 */
public record LoadFigures(
        String label,
        boolean ours,
        double wallMillis,
        int threads,
        double heapBytes,
        double bytesPerCall,
        int inFlight,
        int completed,
        List<LoadSample> rounds) {

    /**
     * Sums the rounds up: medians of what varies, the worst of what must hold.
     *
     * @param label the contender's name
     * @param ours whether it is RetryOn
     * @param calls how many calls there were
     * @param rounds its samples, at least one
     * @return the figures
     */
    public static LoadFigures of(String label, boolean ours, int calls, List<LoadSample> rounds) {
        double heap = median(rounds, LoadSample::heapBytes);
        return new LoadFigures(
                label,
                ours,
                median(rounds, LoadSample::wallMillis),
                rounds.stream().mapToInt(LoadSample::threads).max().orElseThrow(),
                heap,
                heap / calls,
                rounds.stream().mapToInt(LoadSample::inFlight).min().orElseThrow(),
                rounds.stream().mapToInt(LoadSample::completed).min().orElseThrow(),
                List.copyOf(rounds));
    }

    private static double median(List<LoadSample> rounds, ToDoubleFunction<LoadSample> figure) {
        return Figures.median(rounds.stream().mapToDouble(figure).toArray());
    }
}
