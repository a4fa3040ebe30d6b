// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares the guide for contributors with the source tree. */
class ArchitectureGuideTests {

    private static final Pattern FILE = Pattern.compile("`(retry-[\\w-]+/src/[\\w/.-]+\\.java)`");

    private static final String GUIDE =
            String.join("\n", Page.read("docs/internals/architecture.md").lines());

    @Test
    void theFilesToStartAtExist() {
        List<String> files =
                FILE.matcher(GUIDE).results().map(match -> match.group(1)).toList();

        assertThat(files).hasSizeGreaterThanOrEqualTo(10);
        assertThat(files)
                .allSatisfy(file -> assertThat(Page.root().resolve(file)).exists());
    }

    @Test
    void thePackagesOfTheModulesWithPackageTablesAreAllInTheGuide() throws IOException {
        for (String module : List.of("retry-core", "retry-spring-boot-starter", "modules/retry-durable")) {
            assertThat(packages(module))
                    .as(module)
                    .allSatisfy(name -> assertThat(GUIDE).contains("." + name + "`"));
        }
        assertThat(packages("retry-spring-boot-starter")).contains("autoconfigure");
    }

    /** The last parts of the names of the packages that have classes. */
    private static Set<String> packages(String module) throws IOException {
        Set<String> packages = new TreeSet<>();
        Path sources = Page.root().resolve(module + "/src/main/java/dev");
        if (Files.exists(sources)) {
            try (Stream<Path> files = Files.walk(sources)) {
                files.filter(file -> file.getFileName().toString().equals("package-info.java"))
                        .forEach(file ->
                                packages.add(file.getParent().getFileName().toString()));
            }
        }
        return packages;
    }
}
