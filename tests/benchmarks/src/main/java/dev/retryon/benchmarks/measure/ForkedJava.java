/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.measure;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs a main class in a JVM of its own, for what JMH can't measure. The class measures itself and reports one sample.
 */
public final class ForkedJava {

    private static final Pattern REPORT = Pattern.compile("^sample nanos=(\\S+) bytes=(\\S+)$", Pattern.MULTILINE);

    private ForkedJava() {}

    /**
     * Runs a main class.
     *
     * @param classPath its class path
     * @param main the class
     * @param arguments its arguments
     * @return the sample that it reported
     * @throws IOException if it can't be run, fails or reports nothing
     * @throws InterruptedException if the wait for it is interrupted
     */
    public static Sample run(List<String> classPath, Class<?> main, String... arguments)
            throws IOException, InterruptedException {
        MatchResult report = run(REPORT, classPath, main, arguments);
        return new Sample(Double.parseDouble(report.group(1)), Double.parseDouble(report.group(2)));
    }

    /**
     * Runs a main class that reports in its own words.
     *
     * @param words how its report looks
     * @param classPath its class path
     * @param main the class
     * @param arguments its arguments
     * @return what it reported
     * @throws IOException if it can't be run, fails or reports nothing
     * @throws InterruptedException if the wait for it is interrupted
     */
    public static MatchResult run(Pattern words, List<String> classPath, Class<?> main, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(List.of("-Xms1g", "-Xmx1g", "-XX:+UseG1GC"));
        command.addAll(List.of("-cp", String.join(File.pathSeparator, classPath), main.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Matcher report = words.matcher(output);
        if (process.waitFor() != 0 || !report.find()) {
            throw new IOException(main.getSimpleName() + " " + List.of(arguments) + " failed:\n" + output);
        }
        return report.toMatchResult();
    }

    /**
     * Reports a sample to the JVM that forked this one.
     *
     * @param sample what was measured
     */
    @SuppressWarnings("SystemOut") // read by the other JVM
    public static void report(Sample sample) {
        System.out.printf(Locale.ROOT, "sample nanos=%.1f bytes=%.1f%n", sample.nanos(), sample.bytes());
    }

    /**
     * The heap in use after a collection.
     *
     * @return bytes
     */
    public static long usedHeap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
