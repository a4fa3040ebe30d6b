// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import static org.openrewrite.gradle.Assertions.buildGradle;
import static org.openrewrite.gradle.Assertions.buildGradleKts;
import static org.openrewrite.java.Assertions.java;
import static org.openrewrite.java.Assertions.mavenProject;
import static org.openrewrite.java.Assertions.srcMainJava;
import static org.openrewrite.java.Assertions.srcMainResources;
import static org.openrewrite.properties.Assertions.properties;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.openrewrite.Tree;
import org.openrewrite.gradle.marker.GradleDependencyConfiguration;
import org.openrewrite.gradle.marker.GradleProject;
import org.openrewrite.java.JavaParser;
import org.openrewrite.marker.Marker;
import org.openrewrite.maven.tree.Dependency;
import org.openrewrite.maven.tree.GroupArtifactVersion;
import org.openrewrite.maven.tree.ResolvedDependency;
import org.openrewrite.maven.tree.ResolvedGroupArtifactVersion;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;
import org.openrewrite.test.SourceSpecs;

/** Build scripts of Gradle, with the model that its plugin attaches to them. {@link Project} shows those of Maven. */
class BuildFileTests implements RewriteTest {

    private static final String BOOT = "org.springframework.boot:spring-boot-starter:4.1.1";

    private static final String SPRING_RETRY = "org.springframework.retry:spring-retry:2.0.12";

    private static final String RESILIENCE4J = "io.github.resilience4j:resilience4j-spring-boot4:2.4.0";

    @Override
    public void defaults(RecipeSpec spec) {
        spec.executionContext(Project.context())
                .parser(JavaParser.fromJavaVersion()
                        .classpath("spring-retry", "spring-context", "spring-core", "resilience4j-annotations"));
    }

    private static SourceSpecs retried() {
        return srcMainJava(java("""
                import org.springframework.retry.annotation.EnableRetry;
                import org.springframework.retry.annotation.Retryable;

                @EnableRetry
                class Shop {
                    @Retryable
                    public void open() {}
                }
                """, """
                import dev.retryon.spring.RetryOn;

                class Shop {
                    @RetryOn(exceptions = Exception.class, backoff = "fixed", jitter = "none")
                    public void open() {}
                }
                """));
    }

    private void moveFromSpringRetry(SourceSpecs build) {
        rewriteRun(
                spec -> spec.recipeFromResources("dev.retryon.rewrite.FromSpringRetry"),
                mavenProject("shop", retried(), build));
    }

    @Test
    void inGroovyGetTheStarterInsteadOfTheLibrary() {
        moveFromSpringRetry(
                buildGradle("""
                        plugins {
                            id 'java'
                        }

                        dependencies {
                            implementation 'org.springframework.boot:spring-boot-starter:4.1.1'
                            implementation 'org.springframework.retry:spring-retry:2.0.12'
                        }
                        """, """
                        plugins {
                            id 'java'
                        }

                        dependencies {
                            implementation "%s"
                            implementation 'org.springframework.boot:spring-boot-starter:4.1.1'
                        }
                        """.formatted(Project.STARTER), spec -> spec.markers(model(BOOT, SPRING_RETRY))));
    }

    @Test
    void inKotlinGetTheStarterInsteadOfTheLibrary() {
        moveFromSpringRetry(
                buildGradleKts("""
                        dependencies {
                            implementation("org.springframework.boot:spring-boot-starter:4.1.1")
                            implementation("org.springframework.retry:spring-retry:2.0.12")
                        }
                        """, """
                        dependencies {
                            implementation("%s")
                            implementation("org.springframework.boot:spring-boot-starter:4.1.1")
                        }
                        """.formatted(Project.STARTER), spec -> spec.markers(model(BOOT, SPRING_RETRY))));
    }

    @Test
    void keepSpringRetryForSpringCloud() {
        String cloud = "org.springframework.cloud:spring-cloud-loadbalancer:5.0.4";
        moveFromSpringRetry(buildGradle(
                """
                        dependencies {
                            implementation 'org.springframework.retry:spring-retry:2.0.12'
                        }
                        """, """
                        dependencies {
                            implementation "%s"
                            implementation 'org.springframework.retry:spring-retry:2.0.12'
                        }
                        """.formatted(Project.STARTER), spec -> spec.markers(model(BOOT, SPRING_RETRY, cloud))));
    }

    @Test
    void withoutSpringBootKeepTheAnnotations() {
        rewriteRun(
                spec -> spec.recipeFromResources("dev.retryon.rewrite.FromSpringRetry"),
                mavenProject(
                        "shop",
                        srcMainJava(java("""
                        import org.springframework.retry.annotation.EnableRetry;
                        import org.springframework.retry.annotation.Retryable;

                        @EnableRetry
                        class Shop {
                            @Retryable
                            public void open() {}
                        }
                        """, """
                        import org.springframework.retry.annotation.EnableRetry;
                        import org.springframework.retry.annotation.Retryable;

                        @EnableRetry
                        class Shop {
                            // RetryOn: left as it is: this project does not use Spring Boot, and
                            // @RetryOn needs its auto-configuration
                            @Retryable
                            public void open() {}
                        }
                        """)),
                        buildGradle("""
                        dependencies {
                            implementation 'org.springframework.retry:spring-retry:2.0.12'
                        }
                        """, spec -> spec.markers(model(SPRING_RETRY)))));
    }

    @Test
    void withTheClientOfAConfigServerKeepTheSettings() {
        rewriteRun(
                spec -> spec.recipeFromResources("dev.retryon.rewrite.FromResilience4j"),
                mavenProject(
                        "shop",
                        srcMainJava(java("""
                                import io.github.resilience4j.retry.annotation.Retry;

                                class Shop {
                                    @Retry(name = "shop")
                                    void open() {}
                                }
                                """, """
                                import io.github.resilience4j.retry.annotation.Retry;

                                class Shop {
                                    // RetryOn: left as it is: settings of 'shop' might come from
                                    // spring-cloud-config-client, which this command does not read; move them
                                    // to retryon.policies yourself
                                    @Retry(name = "shop")
                                    void open() {}
                                }
                                """)),
                        srcMainResources(properties(
                                "resilience4j.retry.instances.shop.max-attempts=4",
                                spec -> spec.path("application.properties"))),
                        buildGradle(
                                """
                                dependencies {
                                    implementation 'io.github.resilience4j:resilience4j-spring-boot4:2.4.0'
                                }
                                """,
                                spec -> spec.markers(model(
                                        BOOT,
                                        RESILIENCE4J,
                                        "org.springframework.cloud:spring-cloud-config-client:5.0.4")))));
    }

    /** The model of a build with these dependencies. */
    private static Marker[] model(String... dependencies) {
        Project project = Project.withoutSpringBoot(dependencies);
        List<Dependency> requested =
                project.dependencies().stream().map(BuildFileTests::requested).toList();
        List<ResolvedDependency> resolved =
                requested.stream().map(BuildFileTests::resolved).toList();
        GradleDependencyConfiguration implementation =
                configuration("implementation").requested(requested).build();
        GradleDependencyConfiguration classPath = configuration("runtimeClasspath")
                .isCanBeResolved(true)
                .extendsFrom(List.of(implementation))
                .requested(requested)
                .directResolved(resolved)
                .build();
        return new Marker[] {
            GradleProject.builder()
                    .id(Tree.randomId())
                    .group("com.acme")
                    .name("shop")
                    .version("1")
                    .path(":")
                    .mavenRepositories(List.of(Project.REPOSITORY))
                    .nameToConfiguration(Map.of("implementation", implementation, "runtimeClasspath", classPath))
                    .build()
        };
    }

    private static GradleDependencyConfiguration.GradleDependencyConfigurationBuilder configuration(String name) {
        return GradleDependencyConfiguration.builder()
                .name(name)
                .isTransitive(true)
                .extendsFrom(List.of())
                .requested(List.of())
                .directResolved(List.of());
    }

    private static Dependency requested(String coordinates) {
        String[] names = coordinates.split(":");
        return Dependency.builder()
                .gav(new GroupArtifactVersion(names[0], names[1], names[2]))
                .type("jar")
                .build();
    }

    private static ResolvedDependency resolved(Dependency requested) {
        GroupArtifactVersion gav = requested.getGav();
        return ResolvedDependency.builder()
                .gav(new ResolvedGroupArtifactVersion(
                        null, gav.getGroupId(), gav.getArtifactId(), gav.getVersion(), null))
                .requested(requested)
                .dependencies(List.of())
                .licenses(List.of())
                .depth(0)
                .build();
    }
}
