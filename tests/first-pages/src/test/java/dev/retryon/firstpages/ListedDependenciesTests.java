// SPDX-License-Identifier: Apache-2.0
package dev.retryon.firstpages;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The dependencies that the pages list are those with which the tests run. */
class ListedDependenciesTests {

    private static final Pattern GRADLE =
            Pattern.compile("(?m)^    (\\w+)\\(\"([\\w.-]+:[\\w.-]+)(?::([\\w.-]+))?\"\\)$");

    private final Dependencies dependencies = Dependencies.ofThisModule();

    @TempDir
    private Path folder;

    @Test
    void pagesListTheDependenciesOfThisModule() throws Exception {
        List<String> names = new ArrayList<>(Stream.of(shop(), orders())
                .flatMap(pom -> Dependencies.listedIn(pom).stream())
                .map(Dependencies.Listed::name)
                .distinct()
                .toList());
        names.add("org.junit.platform:junit-platform-launcher");
        assertThat(dependencies.direct()).containsExactlyInAnyOrderElementsOf(names);
    }

    @Test
    void pagesListTheVersionsOfThisProject() throws Exception {
        for (String pom : List.of(shop(), orders())) {
            assertThat(Dependencies.parentVersionIn(pom))
                    .isEqualTo(dependencies.version("org.springframework.boot:spring-boot"));
            assertThat(Dependencies.listedIn(pom))
                    .isNotEmpty()
                    .allSatisfy(listed -> assertThat(listed.version())
                            .as(listed.name())
                            .isEqualTo(
                                    listed.name().startsWith("dev.retryon:")
                                            ? dependencies.version(listed.name())
                                            : ""));
        }
    }

    /** The project from start.spring.io has the other dependencies. */
    @Test
    void gettingStartedListsRetryOnForGradleToo() {
        assertThat(gradle(GettingStartedTests.PAGE))
                .containsExactlyElementsOf(Dependencies.listedIn(shop()).stream()
                        .filter(listed -> listed.name().startsWith("dev.retryon:"))
                        .toList());
    }

    @Test
    void durableCallsListsTheSameForGradle() throws Exception {
        assertThat(gradle(DurableCallsTests.EXAMPLE))
                .containsExactlyInAnyOrderElementsOf(Dependencies.listedIn(orders()));
    }

    private static String shop() {
        return GettingStartedTests.PAGE.blocks("xml").get(0).text();
    }

    private String orders() throws Exception {
        Project project = new Project(folder);
        project.write("pom.xml", shop());
        project.write("pom.xml", DurableCallsTests.EXAMPLE.blocks("xml").get(0).text());
        return project.pom();
    }

    /** The dependencies of a Gradle build, in the words of Maven. */
    private static List<Dependencies.Listed> gradle(GuidePage page) {
        return GRADLE.matcher(page.blocks("kotlin").get(0).text())
                .results()
                .map(line -> new Dependencies.Listed(
                        line.group(2),
                        line.group(3) == null ? "" : line.group(3),
                        switch (line.group(1)) {
                            case "implementation" -> "";
                            case "runtimeOnly" -> "runtime";
                            case "testImplementation" -> "test";
                            default -> throw new AssertionError("an unknown configuration, " + line.group(1));
                        }))
                .toList();
    }
}
