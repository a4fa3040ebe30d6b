/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.soak;

import dev.retryon.benchmarks.measure.ClassPath;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs the {@link Soak} in a JVM of its own, whose heap is small. */
public final class SoakRun {

    private static final String HEAP = "-Xmx192m";

    private SoakRun() {}

    /**
     * Runs it.
     *
     * @param seconds how long
     * @param faults of how many in a hundred calls plugged-in code fails
     * @param out takes the report
     * @return the exit code: zero if everything added up
     * @throws IOException if the JVM can't be run
     * @throws InterruptedException if the wait for it is interrupted
     */
    public static int run(int seconds, int faults, PrintStream out) throws IOException, InterruptedException {
        List<String> command = List.of(
                ProcessHandle.current().info().command().orElse("java"),
                HEAP,
                "-cp",
                String.join(File.pathSeparator, ClassPath.of(file -> true)),
                Soak.class.getName(),
                String.valueOf(seconds),
                String.valueOf(faults));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        out.print(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        return process.waitFor();
    }
}
