/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.load;

import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * What one run of a contender was seen to do.
 *
 * @param wallMillis from the first call's begin to the last one's end
 * @param threads how many threads there were at most, beyond those of the executor and those that were there before
 * @param heapBytes the heap that all calls keep while they wait
 * @param inFlight how many calls had not ended when the last was begun
 * @param completed how many calls ended with their third attempt's value
 */
public record LoadSample(double wallMillis, int threads, long heapBytes, int inFlight, int completed) {

    /** How {@link #line()} looks. */
    static final Pattern LINE = Pattern.compile(
            "^load wall=(\\S+) threads=(\\S+) heap=(\\S+) inFlight=(\\S+) completed=(\\S+)$", Pattern.MULTILINE);

    /** One line, for the JVM that forked this one. */
    String line() {
        return String.format(
                Locale.ROOT,
                "load wall=%.3f threads=%d heap=%d inFlight=%d completed=%d",
                wallMillis,
                threads,
                heapBytes,
                inFlight,
                completed);
    }

    static LoadSample of(MatchResult line) {
        return new LoadSample(
                Double.parseDouble(line.group(1)),
                Integer.parseInt(line.group(2)),
                Long.parseLong(line.group(3)),
                Integer.parseInt(line.group(4)),
                Integer.parseInt(line.group(5)));
    }
}
