/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.measure;

import java.time.Duration;

/**
 * How long to measure.
 *
 * @param rounds how many times each contender is measured, in a new JVM each time
 * @param warmups how many periods of running before the measuring
 * @param warmup the length of one
 * @param measurements how many periods are measured
 * @param measurement the length of one
 */
public record Pace(int rounds, int warmups, Duration warmup, int measurements, Duration measurement) {

    /**
     * For figures to publish: about half an hour.
     *
     * @return a pace
     */
    public static Pace thorough() {
        return new Pace(3, 5, Duration.ofMillis(300), 20, Duration.ofMillis(75));
    }

    /**
     * For a look: one round, within five minutes. Its figures vary by some ten per cent.
     *
     * @return a pace
     */
    public static Pace quick() {
        return new Pace(1, 2, Duration.ofMillis(250), 6, Duration.ofMillis(50));
    }

    /**
     * The same with another number of rounds.
     *
     * @param other at least 1
     * @return a pace
     */
    public Pace withRounds(int other) {
        return new Pace(other, warmups, warmup, measurements, measurement);
    }
}
