// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.gradle.AddDependency;
import org.openrewrite.gradle.marker.GradleDependencyConfiguration;
import org.openrewrite.gradle.marker.GradleProject;
import org.openrewrite.maven.AddCommentToMavenDependency;
import org.openrewrite.maven.AddDependencyVisitor;
import org.openrewrite.maven.tree.MavenResolutionResult;
import org.openrewrite.maven.tree.ResolvedDependency;
import org.openrewrite.maven.tree.Scope;
import org.openrewrite.xml.tree.Xml;

/** A {@code pom.xml} or a Gradle build script whose dependencies the parser has resolved. */
record BuildFile(SourceFile source) {

    private static final String GROUP = "dev.retryon";

    private static final String STARTER = "retry-spring-boot-starter";

    static @Nullable BuildFile of(@Nullable Tree tree) {
        return tree instanceof SourceFile source
                        && (maven(source).isPresent() || gradle(source).isPresent())
                ? new BuildFile(source)
                : null;
    }

    private static Optional<MavenResolutionResult> maven(SourceFile source) {
        return source instanceof Xml.Document
                ? source.getMarkers().findFirst(MavenResolutionResult.class)
                : Optional.empty();
    }

    private static Optional<GradleProject> gradle(SourceFile source) {
        return source.getMarkers().findFirst(GradleProject.class);
    }

    /** Finds a dependency of the application, including transitive ones. Test-only dependencies are omitted. */
    Optional<ResolvedDependency> find(Predicate<ResolvedDependency> dependency) {
        Stream<ResolvedDependency> ofMaven = maven(source).stream()
                .flatMap(result -> Stream.of(Scope.Compile, Scope.Runtime, Scope.Provided)
                        .flatMap(scope ->
                                Stream.ofNullable(result.getDependencies().get(scope))))
                .flatMap(dependencies -> dependencies.stream());
        Stream<ResolvedDependency> ofGradle = gradle(source).stream()
                .flatMap(project -> Stream.of("compileClasspath", "runtimeClasspath")
                        .flatMap(name -> Stream.ofNullable(project.getConfiguration(name))))
                .map(GradleDependencyConfiguration::getResolved)
                .flatMap(dependencies -> dependencies.stream());
        return Stream.concat(ofMaven, ofGradle).filter(dependency).findFirst();
    }

    /** Removes a library, whose artifact can be a pattern. */
    BuildFile without(String group, String artifact, ExecutionContext context) {
        return visited(
                maven(source).isPresent()
                        ? new org.openrewrite.maven.RemoveDependency(group, artifact, null).getVisitor()
                        : new org.openrewrite.gradle.RemoveDependency(group, artifact, null).getVisitor(),
                context);
    }

    /** Explains in a {@code pom.xml} why a library remains. OpenRewrite has no recipe for this in Gradle scripts. */
    BuildFile explaining(String group, String artifact, String reason, ExecutionContext context) {
        return maven(source).isEmpty()
                ? this
                : visited(
                        new AddCommentToMavenDependency(
                                        "/project/dependencies/dependency",
                                        group,
                                        artifact,
                                        " " + Comments.START + reason + " ")
                                .getVisitor(),
                        context);
    }

    BuildFile withStarter(ExecutionContext context) {
        if (maven(source).isPresent()) {
            return visited(
                    new AddDependencyVisitor(GROUP, STARTER, version(), null, null, null, null, null, null, null),
                    context);
        }
        AddDependency recipe =
                new AddDependency(GROUP, STARTER, version(), null, "implementation", null, null, null, null, null);
        return visited(recipe.getVisitor(recipe.getInitialValue(context)), context);
    }

    private BuildFile visited(TreeVisitor<?, ExecutionContext> visitor, ExecutionContext context) {
        return new BuildFile((SourceFile) visitor.visitNonNull(source, context));
    }

    /** Returns the version of these recipes, which is also the version of the starter. */
    static String version() {
        try (InputStream resource = BuildFile.class.getResourceAsStream("version.txt")) {
            if (resource == null) {
                throw new IllegalStateException("version.txt is missing");
            }
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8).trim();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
