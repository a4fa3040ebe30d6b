/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Where was measured. Names no host and no path.
 *
 * @param cores how many processors the JVM sees
 * @param processor their model, or the architecture where the system does not tell
 * @param system the operating system
 * @param jdk the version of the JDK
 * @param vendor who made it
 */
public record Machine(int cores, String processor, String system, String jdk, String vendor) {

    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

    /**
     * This machine.
     *
     * @return what is known of it
     */
    public static Machine current() {
        return new Machine(
                Runtime.getRuntime().availableProcessors(),
                model(),
                System.getProperty("os.name") + " " + System.getProperty("os.arch"),
                Runtime.version().toString(),
                System.getProperty("java.vendor"));
    }

    /** One line that says where figures are from. */
    String origin(int rounds, String taken) {
        return "%d × %s, %s, JDK %s (%s); median of %d round%s; %s"
                .formatted(cores, processor, system, jdk, vendor, rounds, rounds == 1 ? "" : "s", taken);
    }

    private static String model() {
        try {
            List<String> lines = Files.readAllLines(PROCESSORS);
            return lines.stream()
                    .filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).trim())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException ex) {
            return System.getProperty("os.arch");
        }
    }
}
