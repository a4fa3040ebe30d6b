/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Keeps reports. */
public final class ReportFiles {

    private ReportFiles() {}

    /**
     * Writes a report as JSON, as a plot and as tables.
     *
     * @param report the report
     * @param folder where to; made if it is not there
     * @param name what the files are called, before their extensions
     * @return the files
     * @throws IOException if they can't be written
     */
    public static List<Path> write(Report report, Path folder, String name) throws IOException {
        Files.createDirectories(folder);
        return List.of(
                Files.writeString(folder.resolve(name + ".json"), Json.of(report)),
                Files.writeString(folder.resolve(name + ".svg"), Plot.of(report)),
                Files.writeString(folder.resolve(name + ".md"), Tables.of(report)));
    }

    /**
     * Writes a report of a load as JSON and as a table.
     *
     * @param report the report
     * @param folder where to; made if it is not there
     * @param name what the files are called, before their extensions
     * @return the files
     * @throws IOException if they can't be written
     */
    public static List<Path> write(LoadReport report, Path folder, String name) throws IOException {
        Files.createDirectories(folder);
        return List.of(
                Files.writeString(folder.resolve(name + ".json"), Json.of(report)),
                Files.writeString(folder.resolve(name + ".md"), LoadTable.of(report)));
    }
}
