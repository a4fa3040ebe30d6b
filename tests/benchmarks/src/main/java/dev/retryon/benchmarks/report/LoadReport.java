/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.report;

import dev.retryon.benchmarks.load.LoadEngine;
import dev.retryon.benchmarks.load.LoadFigures;
import dev.retryon.benchmarks.load.LoadRounds;
import java.io.IOException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;

/**
 * All that is known after a load.
 *
 * @param taken the day, in ISO form
 * @param rounds how many rounds the medians are over
 * @param machine where
 * @param versions of what
 * @param calls how many calls were in flight together
 * @param delayMillis how long each waited, twice
 * @param executorThreads how many threads each contender's executor has
 * @param figures the contenders'
 */
public record LoadReport(
        String taken,
        int rounds,
        Machine machine,
        Map<String, String> versions,
        int calls,
        int delayMillis,
        int executorThreads,
        List<LoadFigures> figures) {

    /**
     * A report of what was just measured here.
     *
     * @param rounds how many rounds there were
     * @param figures what came of them
     * @return the report
     * @throws IOException if the versions can't be read
     */
    public static LoadReport of(int rounds, List<LoadFigures> figures) throws IOException {
        return new LoadReport(
                LocalDate.now(ZoneOffset.UTC).toString(),
                rounds,
                Machine.current(),
                Versions.current(),
                LoadRounds.CALLS,
                LoadRounds.DELAY_MILLIS,
                LoadEngine.EXECUTOR_THREADS,
                figures);
    }
}
