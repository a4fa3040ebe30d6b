// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import static org.assertj.core.api.Assertions.fail;
import static org.openrewrite.java.Assertions.mavenProject;
import static org.openrewrite.maven.Assertions.pomXml;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;
import org.openrewrite.ExecutionContext;
import org.openrewrite.InMemoryExecutionContext;
import org.openrewrite.maven.MavenExecutionContextView;
import org.openrewrite.maven.tree.MavenRepository;
import org.openrewrite.test.SourceSpecs;

/**
 * A Maven project with dependencies, and what becomes of it.
 *
 * @param dependencies their coordinates, {@code group:artifact:version}
 */
record Project(List<String> dependencies) {

    /** The only repository, so that nothing is downloaded. */
    static final MavenRepository REPOSITORY = MavenRepository.builder()
            .id("tests")
            .uri(Path.of("target", "repository").toUri().toString())
            .snapshots("true")
            .knownToExist(true)
            .build();

    private static final String BOOT = "org.springframework.boot:spring-boot-starter:4.1.1";

    static final String STARTER = "dev.retryon:retry-spring-boot-starter:" + BuildFile.version();

    Project {
        dependencies.forEach(Project::publish);
        publish(STARTER);
    }

    /** A parent needs no archive. Tests that run at the same time never see a part of a file. */
    private static void publish(String coordinates) {
        String[] names = coordinates.split(":");
        Path folder = Path.of("target", "repository", names[0].replace('.', '/'), names[1], names[2]);
        try {
            Files.createDirectories(folder);
            Path written = Files.createTempFile(folder, "pom", null);
            Files.writeString(written, pom(names[0], names[1], names[2], "  <packaging>pom</packaging>\n"));
            Files.move(written, folder.resolve(names[1] + "-" + names[2] + ".pom"), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** A context that resolves dependencies. */
    static ExecutionContext context() {
        MavenExecutionContextView context =
                MavenExecutionContextView.view(new InMemoryExecutionContext(error -> fail("The recipe failed", error)));
        context.setAddCentralRepository(false);
        context.setAddLocalRepository(false);
        context.setRepositories(List.of(REPOSITORY));
        return context;
    }

    /** A project with Spring Boot. */
    static Project with(String... dependencies) {
        return new Project(
                Stream.concat(Stream.of(dependencies), Stream.of(BOOT)).toList());
    }

    static Project withoutSpringBoot(String... dependencies) {
        return new Project(List.of(dependencies));
    }

    /** The sources of a project that keeps its dependencies. */
    SourceSpecs thatStays(SourceSpecs... sources) {
        return sources(pomXml(pom(dependencies)), sources);
    }

    /** The sources of a project of which the first dependency becomes the starter. */
    SourceSpecs thatReplacesIt(SourceSpecs... sources) {
        return changed(pom(started(dependencies.subList(1, dependencies.size()))), sources);
    }

    /** The sources of a project that gets the starter too. */
    SourceSpecs thatKeepsIt(SourceSpecs... sources) {
        return changed(pom(started(dependencies)), sources);
    }

    /** The sources of a project that gets the starter, and a comment in its first dependency. */
    SourceSpecs thatExplains(String comment, SourceSpecs... sources) {
        String artifact = "<artifactId>" + dependencies.get(0).split(":")[1];
        String pom = pom(started(dependencies));
        int dependency = pom.lastIndexOf("<dependency>", pom.indexOf(artifact)) + "<dependency>".length();
        return changed(
                pom.substring(0, dependency) + "\n      <!-- " + comment + " -->" + pom.substring(dependency), sources);
    }

    /** The order of OpenRewrite: by group and artifact, where the others are in that order. */
    private static List<String> started(List<String> dependencies) {
        return Stream.concat(Stream.of(STARTER), dependencies.stream()).toList();
    }

    private SourceSpecs changed(String pomAfter, SourceSpecs... sources) {
        return sources(pomXml(pom(dependencies), pomAfter), sources);
    }

    private static SourceSpecs sources(SourceSpecs pom, SourceSpecs... sources) {
        return mavenProject(
                "shop", Stream.concat(Stream.of(sources), Stream.of(pom)).toArray(SourceSpecs[]::new));
    }

    private static String pom(List<String> dependencies) {
        StringBuilder elements = new StringBuilder("  <dependencies>\n");
        for (String dependency : dependencies) {
            elements.append("""
                        <dependency>
                          <groupId>%s</groupId>
                          <artifactId>%s</artifactId>
                          <version>%s</version>
                        </dependency>
                    """.formatted((Object[]) dependency.split(":")));
        }
        return pom(
                "com.acme", "shop", "1", elements.append("  </dependencies>\n").toString());
    }

    private static String pom(String group, String artifact, String version, String elements) {
        return """
                <project>
                  <modelVersion>4.0.0</modelVersion>
                  <groupId>%s</groupId>
                  <artifactId>%s</artifactId>
                  <version>%s</version>
                %s</project>
                """.formatted(group, artifact, version, elements);
    }
}
