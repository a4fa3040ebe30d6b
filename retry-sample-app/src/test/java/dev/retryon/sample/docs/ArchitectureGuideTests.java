/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.sample.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The guide for contributors, held against the source tree. */
class ArchitectureGuideTests {

    private static final Pattern FILE = Pattern.compile("`(retry-[\\w-]+/src/[\\w/.-]+\\.java)`");

    @Test
    void theFilesToStartAtExist() {
        String guide = String.join("\n", Page.read("docs/architecture.md").lines());
        List<String> files =
                FILE.matcher(guide).results().map(match -> match.group(1)).toList();

        assertThat(files).hasSizeGreaterThanOrEqualTo(10);
        assertThat(files)
                .allSatisfy(file -> assertThat(Page.root().resolve(file)).exists());
    }

    @Test
    void thePackagesOfTheStarterAreAllInTheGuide() throws IOException {
        String guide = String.join("\n", Page.read("docs/architecture.md").lines());
        Path starter = Page.root().resolve("retry-spring-boot-starter/src/main/java/dev/retryon/spring");
        try (Stream<Path> folders = Files.list(starter).filter(Files::isDirectory)) {
            assertThat(folders).allSatisfy(folder -> assertThat(guide).contains("." + folder.getFileName() + "`"));
        }
    }
}
