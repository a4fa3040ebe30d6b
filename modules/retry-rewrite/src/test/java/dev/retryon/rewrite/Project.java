// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import static org.openrewrite.java.Assertions.mavenProject;
import static org.openrewrite.xml.Assertions.xml;

import java.util.ArrayList;
import java.util.List;
import org.openrewrite.test.SourceSpecs;

/**
 * A Maven project with one dependency, and what becomes of it.
 *
 * @param dependency the lines between the tags of the dependency
 * @param onSpringBoot whether the starter of Spring Boot is a dependency too
 */
record Project(String dependency, boolean onSpringBoot) {

    private static final String BOOT = """
            <groupId>org.springframework.boot</groupId>
            <artifactId>spring-boot-starter</artifactId>
            """;

    private static final String STARTER = """
            <groupId>dev.retryon</groupId>
            <artifactId>retry-spring-boot-starter</artifactId>
            <version>%s</version>
            """.formatted(Pom.version());

    Project(String dependency) {
        this(dependency, true);
    }

    /** The sources of a project that keeps its dependencies. */
    SourceSpecs thatStays(SourceSpecs... sources) {
        List<SourceSpecs> all = new ArrayList<>(List.of(sources));
        all.add(xml(pom(element(dependency)), spec -> spec.path("pom.xml")));
        return mavenProject("shop", all.toArray(SourceSpecs[]::new));
    }

    /** The sources of a project of which the dependency becomes the starter. */
    SourceSpecs thatReplacesIt(SourceSpecs... sources) {
        return with(pom(element(STARTER)), sources);
    }

    /** The sources of a project that gets the starter too. */
    SourceSpecs thatKeepsIt(SourceSpecs... sources) {
        return with(pom(element(dependency) + element(STARTER)), sources);
    }

    /** The sources of a project that gets the starter, and a comment before its last dependency. */
    SourceSpecs thatExplains(String comment, SourceSpecs... sources) {
        String kept = element(dependency);
        int last = kept.lastIndexOf("    <dependency>");
        return with(pom(kept.substring(0, last) + comment + kept.substring(last) + element(STARTER)), sources);
    }

    private SourceSpecs with(String pomAfter, SourceSpecs... sources) {
        List<SourceSpecs> all = new ArrayList<>(List.of(sources));
        all.add(xml(pom(element(dependency)), pomAfter, spec -> spec.path("pom.xml")));
        return mavenProject("shop", all.toArray(SourceSpecs[]::new));
    }

    private static String element(String lines) {
        return "    <dependency>\n"
                + lines.indent(6).replace("      </dep", "    </dep").replace("      <dependency>", "    <dependency>")
                + "    </dependency>\n";
    }

    private String pom(String dependencies) {
        return """
                <project>
                  <modelVersion>4.0.0</modelVersion>
                  <groupId>com.acme</groupId>
                  <artifactId>shop</artifactId>
                  <version>1</version>
                  <dependencies>
                %s  </dependencies>
                </project>
                """.formatted(onSpringBoot ? element(BOOT) + dependencies : dependencies);
    }
}
