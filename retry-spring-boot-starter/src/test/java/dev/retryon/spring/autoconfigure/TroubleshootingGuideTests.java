/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The messages that docs/troubleshooting.md quotes are those of the code. */
class TroubleshootingGuideTests {

    /** A message: several words in code style, with nothing that only code has. */
    private static final Pattern MESSAGE = Pattern.compile("`([A-Za-z' ]+ [A-Za-z', ]+ [A-Za-z', ]+)`");

    @Test
    void everyQuotedMessageIsInTheSources() throws IOException {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve("docs/troubleshooting.md"))) {
            root = root.getParent();
        }
        // Texts that are written in two lines are joined.
        String sources = (sources(root.resolve("retry-core/src/main/java"))
                        + sources(root.resolve("retry-spring-boot-starter/src/main/java")))
                .replaceAll("\"\\s*\\+\\s*\"", "");
        List<String> messages = MESSAGE.matcher(Files.readString(root.resolve("docs/troubleshooting.md")))
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(messages).hasSizeGreaterThan(12);
        assertThat(messages)
                .allSatisfy(message ->
                        assertThat(sources.contains(message)).as(message).isTrue());
    }

    private static String sources(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(TroubleshootingGuideTests::read)
                    .collect(Collectors.joining());
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException ex) {
            throw new AssertionError(ex);
        }
    }
}
