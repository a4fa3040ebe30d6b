/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.report;

import java.nio.file.Path;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** A report as JSON, the figures of each round included. */
final class Json {

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private Json() {}

    static String of(Record report) {
        return MAPPER.writeValueAsString(report) + "\n";
    }

    static Report read(Path file) {
        return MAPPER.readValue(file, Report.class);
    }
}
