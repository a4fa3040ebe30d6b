/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.measure;

import java.util.Collection;
import java.util.Map;
import java.util.regex.Pattern;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Measures by a JMH benchmark in one fork. Bytes are those allocated.
 *
 * @param benchmark the class, whose benchmarks report average times in nanoseconds
 * @param parameters what its parameters are
 * @param threads how many threads call at once
 * @param parts by how much to divide the figures, where one operation is many
 */
public record JmhGauge(Class<?> benchmark, Map<String, String> parameters, int threads, int parts) implements Gauge {

    /** The same heap and collector for everybody, whatever the machine would have them be. */
    private static final String[] JVM = {"-Xms1g", "-Xmx1g", "-XX:+UseG1GC"};

    /** The lower quartile of the periods: what else a machine does makes some of them longer, and none shorter. */
    private static final double UNDISTURBED = 25;

    private static final String ALLOCATED = "gc.alloc.rate.norm";

    /**
     * One thread, one operation.
     *
     * @param benchmark the class
     * @param parameters what its parameters are
     * @return a gauge
     */
    public static JmhGauge of(Class<?> benchmark, Map<String, String> parameters) {
        return new JmhGauge(benchmark, parameters, 1, 1);
    }

    /**
     * The same with more threads.
     *
     * @param number how many threads call at once
     * @return a gauge
     */
    public JmhGauge threads(int number) {
        return new JmhGauge(benchmark, parameters, number, parts);
    }

    /**
     * The same where one operation is many.
     *
     * @param number by how much to divide the figures
     * @return a gauge
     */
    public JmhGauge parts(int number) {
        return new JmhGauge(benchmark, parameters, threads, number);
    }

    @Override
    public Sample take(Pace pace) throws RunnerException {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("^" + Pattern.quote(benchmark.getName()) + "\\.")
                .threads(threads)
                .forks(1)
                .jvmArgsAppend(JVM)
                .warmupIterations(pace.warmups())
                .warmupTime(TimeValue.milliseconds(pace.warmup().toMillis()))
                .measurementIterations(pace.measurements())
                .measurementTime(TimeValue.milliseconds(pace.measurement().toMillis()))
                .addProfiler(GCProfiler.class)
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT);
        parameters.forEach(options::param);
        Collection<RunResult> results = new Runner(options.build()).run();
        if (results.size() != 1) {
            throw new IllegalStateException(
                    benchmark.getName() + " with " + parameters + ": one result wanted, got " + results.size());
        }
        RunResult result = results.iterator().next();
        double nanos = result.getPrimaryResult().getStatistics().getPercentile(UNDISTURBED);
        return new Sample(nanos / parts, allocated(result) / parts);
    }

    private static double allocated(RunResult result) {
        var bytes = result.getSecondaryResults().get(ALLOCATED);
        if (bytes == null) {
            throw new IllegalStateException("JMH did not tell " + ALLOCATED);
        }
        return bytes.getScore();
    }
}
