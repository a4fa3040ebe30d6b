/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.measure;

import java.util.Arrays;
import java.util.List;

/**
 * What was measured of one contender, over all rounds.
 *
 * @param label its name
 * @param ours whether it is RetryOn
 * @param time the median time, in the comparison's unit
 * @param ratio the median of the ratios to the limit, each computed within a round
 * @param bytes the median of the bytes
 * @param times the time in each round
 * @param ratios the ratio in each round
 */
public record Figures(
        String label, boolean ours, double time, double ratio, double bytes, List<Double> times, List<Double> ratios) {

    /**
     * Sums the rounds up.
     *
     * @param contender who was measured
     * @param unit in what times are to be
     * @param samples its samples, a round each
     * @param limits the limit's samples in the same rounds
     * @return the figures
     */
    static Figures of(Contender contender, Unit unit, List<Sample> samples, List<Sample> limits) {
        double[] times = samples.stream()
                .mapToDouble(sample -> unit.from(sample.nanos()))
                .toArray();
        double[] ratios = new double[times.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = samples.get(i).nanos() / limits.get(i).nanos();
        }
        double[] bytes = samples.stream().mapToDouble(Sample::bytes).toArray();
        return new Figures(
                contender.label(),
                contender.ours(),
                median(times),
                median(ratios),
                median(bytes),
                Arrays.stream(times).boxed().toList(),
                Arrays.stream(ratios).boxed().toList());
    }

    /**
     * The middle of some values.
     *
     * @param values at least one
     * @return the median; of an even number, the mean of the middle two
     */
    public static double median(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
