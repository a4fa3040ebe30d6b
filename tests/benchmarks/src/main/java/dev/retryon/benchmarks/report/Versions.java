/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.report;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import org.springframework.core.SpringVersion;

/** The versions of what is measured. */
final class Versions {

    private static final String FILE = "/dev/retryon/benchmarks/versions.properties";

    private Versions() {}

    static Map<String, String> current() throws IOException {
        Properties properties = new Properties();
        try (InputStream in = Objects.requireNonNull(Versions.class.getResourceAsStream(FILE))) {
            properties.load(in);
        }
        Map<String, String> versions = new TreeMap<>();
        properties.forEach((name, version) -> versions.put((String) name, (String) version));
        versions.put("Spring Framework", Objects.requireNonNullElse(SpringVersion.getVersion(), "unknown"));
        return versions;
    }
}
