/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.report;

import dev.retryon.benchmarks.measure.Outcome;
import dev.retryon.benchmarks.measure.Pace;
import java.io.IOException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;

/**
 * All that is known after a run.
 *
 * @param taken the day, in ISO form
 * @param rounds how many rounds the medians are over
 * @param machine where
 * @param versions of what
 * @param outcomes the figures
 */
public record Report(String taken, int rounds, Machine machine, Map<String, String> versions, List<Outcome> outcomes) {

    /**
     * A report of what was just measured here.
     *
     * @param pace how it was measured
     * @param outcomes what came of it
     * @return the report
     * @throws IOException if the versions can't be read
     */
    public static Report of(Pace pace, List<Outcome> outcomes) throws IOException {
        return new Report(
                LocalDate.now(ZoneOffset.UTC).toString(),
                pace.rounds(),
                Machine.current(),
                Versions.current(),
                outcomes);
    }

    /** One line that says where the figures are from. */
    String origin() {
        return machine.origin(rounds, taken);
    }
}
