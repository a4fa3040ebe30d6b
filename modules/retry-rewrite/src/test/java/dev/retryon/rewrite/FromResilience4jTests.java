// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import static org.openrewrite.java.Assertions.java;
import static org.openrewrite.java.Assertions.mavenProject;
import static org.openrewrite.java.Assertions.srcMainJava;
import static org.openrewrite.java.Assertions.srcMainResources;
import static org.openrewrite.kotlin.Assertions.kotlin;
import static org.openrewrite.kotlin.Assertions.srcMainKotlin;
import static org.openrewrite.properties.Assertions.properties;
import static org.openrewrite.yaml.Assertions.yaml;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openrewrite.java.JavaParser;
import org.openrewrite.kotlin.KotlinParser;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;
import org.openrewrite.test.SourceSpecs;

class FromResilience4jTests implements RewriteTest {

    @Override
    public void defaults(RecipeSpec spec) {
        spec.recipeFromResources("dev.retryon.rewrite.FromResilience4j")
                .executionContext(Project.context())
                .parser(JavaParser.fromJavaVersion().classpath("resilience4j-annotations", "resilience4j-retry"));
    }

    private static SourceSpecs settings(String before, String after) {
        return yaml(before, after, spec -> spec.path("src/main/resources/application.yml"));
    }

    /** A class with a method for each of these instances or configurations. */
    private static SourceSpecs using(String... names) {
        StringBuilder before =
                new StringBuilder("import io.github.resilience4j.retry.annotation.Retry;\n\nclass Users {");
        StringBuilder after = new StringBuilder("import dev.retryon.spring.RetryOn;\n\nclass Users {");
        for (String name : names) {
            before.append("\n    @Retry(name = \"%s\")\n    void %s() {}\n".formatted(name, name));
            after.append("\n    @RetryOn(policy = \"%s\")\n    void %s() {}\n".formatted(name, name));
        }
        return java(before + "}\n", after + "}\n");
    }

    /** A class whose annotated method is left unchanged, with a comment that gives the reason. */
    private static SourceSpecs left(String name, String reason) {
        return java("""
                import io.github.resilience4j.retry.annotation.Retry;

                class Prices {
                    @Retry(name = "%s")
                    void price() {}
                }
                """.formatted(name), """
                import io.github.resilience4j.retry.annotation.Retry;

                class Prices {
                %s    @Retry(name = "%s")
                    void price() {}
                }
                """.formatted(comment(reason), name));
    }

    private static String comment(String reason) {
        return comment(reason, 80);
    }

    private static String comment(String reason, int columns) {
        StringBuilder lines = new StringBuilder();
        Comments.lines("left as it is: " + reason, columns - "    // ".length())
                .forEach(line -> lines.append("    // ").append(line).append('\n'));
        return lines.toString();
    }

    @Nested
    class Settings {

        @Test
        void becomeWholePolicies() {
            rewriteRun(using("even", "growing", "quarter", "nothing"), settings("""
                    server:
                      port: 8080
                    resilience4j:
                      retry:
                        instances:
                          even:
                            max-attempts: 4
                            wait-duration: 500ms
                            retry-exceptions:
                              - java.io.IOException
                              - java.util.concurrent.TimeoutException
                            ignore-exceptions: java.io.EOFException
                          growing:
                            waitDuration: 1s
                            enableExponentialBackoff: true
                            exponentialBackoffMultiplier: 3
                            exponentialMaxWaitDuration: 10s
                            enableRandomizedWait: true
                            randomizedWaitFactor: 0.25
                          quarter:
                            wait-duration: 1s
                            enable-exponential-backoff: true
                            enable-randomized-wait: true
                          nothing:
                            event-consumer-buffer-size: 10
                            enable-exponential-backoff: true
                    logging:
                      level: info
                    """, """
                    server:
                      port: 8080
                    # RetryOn: 'excludes' also matches causes, so an error that wraps an excluded
                    # error is not retried
                    retryon:
                      policies:
                        even:
                          exceptions:
                            - java.io.IOException
                            - java.util.concurrent.TimeoutException
                          excludes: java.io.EOFException
                          max-attempts: 4
                          backoff: fixed
                          delay: 500ms
                          jitter: none
                        growing:
                          exceptions: java.lang.Exception
                          backoff: exponential
                          delay: 1s
                          multiplier: 3
                          max-delay: 10s
                          jitter: 25%
                        quarter:
                          exceptions: java.lang.Exception
                          backoff: exponential
                          delay: 1s
                          multiplier: 1.5
                          max-delay: 24h
                          jitter: 50%
                        nothing:
                          exceptions: java.lang.Exception
                          backoff: fixed
                          delay: 500ms
                          jitter: none
                    logging:
                      level: info
                    """));
        }

        @Test
        void takeWhatTheirBaseConfigurationSays() {
            rewriteRun(java("""
                            import io.github.resilience4j.retry.annotation.Retry;

                            class Prices {
                                @Retry(name = "third")
                                void price() {}
                            }
                            """, """
                            import dev.retryon.spring.RetryOn;

                            class Prices {
                                @RetryOn(policy = "default", name = "third")
                                void price() {}
                            }
                            """), using("slow", "first", "second"), settings("""
                    resilience4j.retry:
                      configs:
                        default:
                          max-attempts: 5
                        slow:
                          wait-duration: 10s
                          retry-exceptions: java.io.IOException
                      instances:
                        first:
                          base-config: slow
                          max-attempts: 2
                        second:
                          wait-duration: 1s
                    """, """
                    retryon:
                      policies:
                        default:
                          exceptions: java.lang.Exception
                          max-attempts: 5
                          backoff: fixed
                          delay: 500ms
                          jitter: none
                        slow:
                          exceptions: java.io.IOException
                          max-attempts: 5
                          backoff: fixed
                          delay: 10s
                          jitter: none
                        first:
                          exceptions: java.io.IOException
                          max-attempts: 2
                          backoff: fixed
                          delay: 10s
                          jitter: none
                        second:
                          exceptions: java.lang.Exception
                          max-attempts: 5
                          backoff: fixed
                          delay: 1s
                          jitter: none
                    """));
        }

        @Test
        void ofAProfileSayNoMoreThanBefore() {
            rewriteRun(
                    using("backend"),
                    settings("""
                            resilience4j.retry.instances.backend.wait-duration: 1s
                            ---
                            spring.config.activate.on-profile: slow
                            resilience4j:
                              retry:
                                instances:
                                  backend:
                                    wait-duration: 10s
                                    enable-randomized-wait: true
                            """, """
                            retryon:
                              policies:
                                backend:
                                  exceptions: java.lang.Exception
                                  backoff: fixed
                                  delay: 1s
                                  jitter: none
                            ---
                            spring.config.activate.on-profile: slow
                            retryon:
                              policies:
                                backend:
                                  delay: 10s
                                  jitter: 50%
                            """),
                    properties(
                            "resilience4j.retry.instances.backend.max-attempts=9",
                            "retryon.policies.backend.max-attempts=9",
                            spec -> spec.path("src/main/resources/application-test.properties")));
        }

        @ParameterizedTest
        @ValueSource(strings = {"active: dev", "include: [common]", "group.all: [common]", "default: dev", "{}"})
        void besideTheActiveProfilesAreOfNoProfile(String profiles) {
            String spring = """
                    spring:
                      profiles:
                        %s
                    """.formatted(profiles);
            rewriteRun(
                    using("backend"),
                    settings(spring + """
                    resilience4j.retry.instances.backend.max-attempts: 5
                    """, spring + """
                    retryon:
                      policies:
                        backend:
                          exceptions: java.lang.Exception
                          max-attempts: 5
                          backoff: fixed
                          delay: 500ms
                          jitter: none
                    """),
                    properties(
                            "resilience4j.retry.instances.backend.max-attempts=9",
                            "retryon.policies.backend.max-attempts=9",
                            spec -> spec.path("src/main/resources/application-test.properties")));
        }

        @Test
        void thatOnlyAProfileHasStay() {
            rewriteRun(
                    yaml("""
                            spring.config.activate.on-profile: slow
                            resilience4j.retry.instances.backend.max-attempts: 5
                            """, spec -> spec.path("src/main/resources/application.yml")),
                    left("backend", "the settings of 'backend' apply only in certain profiles"));
        }

        @Test
        void ofABaseConfigurationInAnotherFileCount() {
            rewriteRun(
                    using("backend"),
                    settings("""
                    resilience4j.retry.configs.default:
                      max-attempts: 6
                      wait-duration: 2s
                      retry-exceptions: java.io.IOException
                    """, """
                    retryon:
                      policies:
                        backend:
                          exceptions: java.io.IOException
                          max-attempts: 6
                          backoff: fixed
                          delay: 2s
                          jitter: none
                    """),
                    properties(
                            "resilience4j.retry.instances.backend.wait-duration=3s",
                            "retryon.policies.backend.delay=3s",
                            spec -> spec.path("src/main/resources/application-prod.properties")));
        }

        @Test
        void ofABaseConfigurationThatAProfileChangesChange() {
            rewriteRun(
                    using("backend"),
                    settings("""
                    resilience4j.retry:
                      configs.default.wait-duration: 2s
                      instances.backend.max-attempts: 4
                    """, """
                    retryon:
                      policies:
                        backend:
                          exceptions: java.lang.Exception
                          max-attempts: 4
                          backoff: fixed
                          delay: 2s
                          jitter: none
                    """),
                    properties(
                            "resilience4j.retry.configs.default.wait-duration=1ms",
                            "retryon.policies.backend.delay=1ms",
                            spec -> spec.path("src/main/resources/application-fast.properties")));
        }

        @Test
        void growInAProfileWithTheDefaultMultiplier() {
            rewriteRun(
                    using("backend"),
                    settings("""
                    resilience4j.retry.instances.backend.wait-duration: 1s
                    """, """
                    retryon:
                      policies:
                        backend:
                          exceptions: java.lang.Exception
                          backoff: fixed
                          delay: 1s
                          jitter: none
                    """),
                    properties(
                            "resilience4j.retry.instances.backend.enable-exponential-backoff=true",
                            """
                    retryon.policies.backend.backoff=exponential
                    retryon.policies.backend.multiplier=1.5
                    retryon.policies.backend.max-delay=24h""",
                            spec -> spec.path("src/main/resources/application-prod.properties")));
        }

        @Test
        void thatAProfileTakesBackStay() {
            rewriteRun(
                    yaml("""
                            resilience4j.retry.instances.backend:
                              wait-duration: 1s
                              enable-exponential-backoff: true
                            """, spec -> spec.path("src/main/resources/application.yml")),
                    properties(
                            "resilience4j.retry.instances.backend.enable-exponential-backoff=false",
                            spec -> spec.path("src/main/resources/application-prod.properties")),
                    left(
                            "backend",
                            "the settings of 'backend' lose a value in the profile 'prod', but a policy can only"
                                    + " replace values"));
        }

        @Test
        void thatAFileOfTheTestsHidesAreResilience4jsDefaultsThere() {
            rewriteRun(
                    using("backend"),
                    properties(
                            "resilience4j.retry.instances.backend.max-attempts=5",
                            """
                    retryon.policies.backend.exceptions=java.lang.Exception
                    retryon.policies.backend.max-attempts=5
                    retryon.policies.backend.backoff=fixed
                    retryon.policies.backend.delay=500ms
                    retryon.policies.backend.jitter=none""",
                            spec -> spec.path("src/main/resources/application.properties")),
                    properties("server.port=0", """
                    retryon.policies.backend.exceptions=java.lang.Exception
                    retryon.policies.backend.backoff=fixed
                    retryon.policies.backend.delay=500ms
                    retryon.policies.backend.jitter=none
                    server.port=0""", spec -> spec.path("src/test/resources/application.properties")));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "spring.config.import",
                    "spring.cloud.config.uri",
                    "spring.cloud.consul.config.prefix",
                    "spring.config.additional-location"
                })
        void stayWhereOthersMayComeFromElsewhere(String key) {
            rewriteRun(
                    properties(
                            key + "=optional:configserver:\nresilience4j.retry.instances.backend.max-attempts=5",
                            spec -> spec.path("src/main/resources/application.properties")),
                    left(
                            "backend",
                            "settings of 'backend' might come from " + key
                                    + ", which this command does not read; move them to retryon.policies yourself"));
        }

        @ParameterizedTest
        @CsvSource({
            "resilience4j.retry.instances.backend.max-attempts=9, config-repo/shop.properties",
            "RESILIENCE4J_RETRY_INSTANCES_BACKEND_MAXATTEMPTS=9, .env.properties"
        })
        void stayWhereAnotherFileSetsThemToo(String setting, String file) {
            rewriteRun(
                    properties(
                            "resilience4j.retry.instances.backend.max-attempts=5",
                            spec -> spec.path("src/main/resources/application.properties")),
                    properties(setting, spec -> spec.path(file)),
                    left(
                            "backend",
                            "settings of 'backend' might come from " + file
                                    + ", which this command does not read; move them to retryon.policies yourself"));
        }

        @Test
        void thatNoFileHasStay() {
            rewriteRun(left(
                    "backend",
                    "no file of this module has settings for 'backend'; add the applicable settings to"
                            + " retryon.policies.backend"));
        }

        @Test
        void thatCodeNamesStay() {
            rewriteRun(
                    properties(
                            "resilience4j.retry.instances.backend.max-attempts=5",
                            spec -> spec.path("src/main/resources/application.properties")),
                    java("""
                            class Limits {
                                String attempts = "${resilience4j.retry.instances.backend.max-attempts}";
                            }
                            """),
                    left(
                            "backend",
                            "settings of 'backend' might come from code that names these settings, which this command"
                                    + " does not read; move them to retryon.policies yourself"));
        }

        @ParameterizedTest
        @ValueSource(strings = {"max-retry-attempts", "consume-result-before-retry-attempt"})
        void thatTheCommandDoesNotKnowStay(String key) {
            rewriteRun(
                    properties(
                            "resilience4j.retry.instances.backend." + key + "=7",
                            spec -> spec.path("src/main/resources/application.properties")),
                    left("backend", "the settings of 'backend' have " + key + ", which this command does not support"));
        }

        @Test
        void besideAnOrderOfAspectsStay() {
            rewriteRun(
                    properties(
                            "resilience4j.retry.instances.backend.max-attempts=7",
                            spec -> spec.path("src/main/resources/application.properties")),
                    properties(
                            "resilience4j.retry.retryAspectOrder=2",
                            spec -> spec.path("src/main/resources/application-local.properties")),
                    left(
                            "backend",
                            "the settings of 'backend' are used with retry-aspect-order; set retryon.order to its value"
                                    + " instead"));
        }

        @Test
        void ofAnotherModuleDoNotCount() {
            rewriteRun(
                    mavenProject(
                            "one",
                            srcMainResources(properties(
                                    "resilience4j.retry.instances.backend.max-attempts=5",
                                    spec -> spec.path("application.properties")))),
                    mavenProject(
                            "two",
                            srcMainJava(left(
                                    "backend",
                                    "no file of this module has settings for 'backend'; add the applicable"
                                            + " settings to retryon.policies.backend"))));
        }

        @Test
        void keepTheirComments() {
            rewriteRun(using("backend"), settings("""
                    # all retries
                    resilience4j:
                      retry:
                        instances:
                          # agreed with the partner
                          backend:
                            # four in all
                            max-attempts: 4 # not more
                            wait-duration: 1s
                    logging:
                      level: info
                    """, """
                    # all retries
                    retryon:
                      policies:
                        # agreed with the partner
                        # four in all
                        # not more
                        backend:
                          exceptions: java.lang.Exception
                          max-attempts: 4
                          backoff: fixed
                          delay: 1s
                          jitter: none
                    logging:
                      level: info
                    """));
        }

        @Test
        void keepTheIndentation() {
            rewriteRun(using("backend"), settings("""
                    resilience4j:
                        retry:
                            instances:
                                backend:
                                    wait-duration: 1s
                    """, """
                    retryon:
                        policies:
                            backend:
                                exceptions: java.lang.Exception
                                backoff: fixed
                                delay: 1s
                                jitter: none
                    """));
        }

        @Test
        void withExclusionsSayThatCausesCount() {
            rewriteRun(using("backend"), settings("""
                    resilience4j.retry.instances.backend.ignore-exceptions: java.io.IOException
                    """, """
                    # RetryOn: 'excludes' also matches causes, so an error that wraps an excluded
                    # error is not retried
                    retryon:
                      policies:
                        backend:
                          exceptions: java.lang.Exception
                          excludes: java.io.IOException
                          backoff: fixed
                          delay: 500ms
                          jitter: none
                    """));
        }

        @Test
        void keepPlaceholders() {
            rewriteRun(using("backend"), settings("""
                    resilience4j.retry.instances.backend:
                      max-attempts: ${ATTEMPTS:5}
                      wait-duration: ${WAIT:1s}
                      enable-exponential-backoff: TRUE
                      exponential-backoff-multiplier: ${FACTOR:2}
                      exponential-max-wait-duration: ${LONGEST:10s}
                    """, """
                    retryon:
                      policies:
                        backend:
                          exceptions: java.lang.Exception
                          max-attempts: ${ATTEMPTS:5}
                          backoff: exponential
                          delay: ${WAIT:1s}
                          multiplier: ${FACTOR:2}
                          max-delay: ${LONGEST:10s}
                          jitter: none
                    """));
        }

        @Test
        void thatNoMethodUsesDoNotMove() {
            rewriteRun(settings("""
                    resilience4j.retry:
                      configs:
                        default:
                          max-attempts: 5
                        slow:
                          wait-duration: 10s
                      instances:
                        backend:
                          base-config: slow
                        forgotten:
                          max-attempts: 2
                    """, """
                    # RetryOn: instance 'forgotten' was not moved, because no @Retry uses it
                    retryon:
                      policies:
                        backend:
                          exceptions: java.lang.Exception
                          backoff: fixed
                          delay: 10s
                          jitter: none
                    """), java("""
                    import io.github.resilience4j.retry.annotation.Retry;

                    class Prices {
                        @Retry(name = "backend")
                        void price() {}
                    }
                    """, """
                    import dev.retryon.spring.RetryOn;

                    class Prices {
                        @RetryOn(policy = "backend")
                        void price() {}
                    }
                    """));
        }

        @Test
        void ofPropertiesFilesMoveToo() {
            rewriteRun(
                    using("backend"),
                    properties("""
                    server.port=8080
                    resilience4j.retry.instances.backend.maxAttempts=4
                    resilience4j.retry.instances.backend.retry-exceptions[0]=java.io.IOException
                    resilience4j.retry.instances.backend.retry-exceptions[1]=java.io.UncheckedIOException
                    logging.level.root=info
                    """, """
                    server.port=8080
                    retryon.policies.backend.exceptions=java.io.IOException,java.io.UncheckedIOException
                    retryon.policies.backend.max-attempts=4
                    retryon.policies.backend.backoff=fixed
                    retryon.policies.backend.delay=500ms
                    retryon.policies.backend.jitter=none
                    logging.level.root=info
                    """, spec -> spec.path("src/main/resources/application.properties")));
        }

        @Test
        void ofPropertiesFilesKeepTheBlankLineAbove() {
            rewriteRun(
                    using("backend"),
                    properties("""
                    server.port=8080

                    resilience4j.retry.instances.backend.max-attempts=4
                    resilience4j.retry.instances.backend.wait-duration=2s

                    logging.level.root=info
                    """, """
                    server.port=8080

                    retryon.policies.backend.exceptions=java.lang.Exception
                    retryon.policies.backend.max-attempts=4
                    retryon.policies.backend.backoff=fixed
                    retryon.policies.backend.delay=2s
                    retryon.policies.backend.jitter=none

                    logging.level.root=info
                    """, spec -> spec.path("src/main/resources/application.properties")));
        }

        @Test
        void ofCircuitBreakersStay() {
            rewriteRun(using("backend"), settings("""
                    resilience4j:
                      circuitbreaker:
                        instances:
                          backend:
                            sliding-window-size: 10
                      retry:
                        instances:
                          backend:
                            max-attempts: 2
                    """, """
                    resilience4j:
                      circuitbreaker:
                        instances:
                          backend:
                            sliding-window-size: 10
                    retryon:
                      policies:
                        backend:
                          exceptions: java.lang.Exception
                          max-attempts: 2
                          backoff: fixed
                          delay: 500ms
                          jitter: none
                    """));
        }
    }

    @Nested
    class Annotations {

        @Test
        void nameThePolicyAndTheFallback() {
            rewriteRun(settings("""
                            resilience4j.retry.instances:
                              backend:
                                retry-exceptions: java.io.IOException
                              other:
                                max-attempts: 2
                            """, """
                            retryon:
                              policies:
                                backend:
                                  exceptions: java.io.IOException
                                  backoff: fixed
                                  delay: 500ms
                                  jitter: none
                                other:
                                  exceptions: java.lang.Exception
                                  max-attempts: 2
                                  backoff: fixed
                                  delay: 500ms
                                  jitter: none
                            """), java("""
                            import io.github.resilience4j.retry.annotation.Retry;

                            @Retry(name = "other")
                            class Shop {
                                public String close() { return "closed"; }
                            }

                            class Prices {
                                @Retry(name = "backend", fallbackMethod = "none")
                                String price(String item) { return item; }

                                @Retry(name = "other", fallbackMethod = "none")
                                String name(String item) { return item; }

                                @Retry(name = "mine", configuration = "other")
                                void order() {}

                                private String none(String item, Exception error) { return "?"; }
                            }
                            """, """
                            import dev.retryon.spring.RetryOn;

                            @RetryOn(policy = "other")
                            class Shop {
                                public String close() { return "closed"; }
                            }

                            class Prices {
                                @RetryOn(policy = "backend", recover = "none", recoverOn = {Exception.class, Error.class})
                                String price(String item) { return item; }

                                @RetryOn(policy = "other", recover = "none", recoverOn = {Exception.class, Error.class})
                                String name(String item) { return item; }

                                @RetryOn(policy = "other", name = "mine")
                                void order() {}

                                private String none(String item, Exception error) { return "?"; }
                            }
                            """));
        }

        @Test
        void keepConstants() {
            rewriteRun(settings("""
                            resilience4j.retry:
                              configs.default.max-attempts: 5
                              instances.backendA.retry-exceptions: java.io.IOException
                            """, """
                            retryon:
                              policies:
                                default:
                                  exceptions: java.lang.Exception
                                  max-attempts: 5
                                  backoff: fixed
                                  delay: 500ms
                                  jitter: none
                                backendA:
                                  exceptions: java.io.IOException
                                  max-attempts: 5
                                  backoff: fixed
                                  delay: 500ms
                                  jitter: none
                            """), java("""
                            package com.acme.names;

                            public final class Backends {
                                private static final String PREFIX = "backend";

                                public static final String A = PREFIX + "A";
                            }
                            """), java("""
                            import com.acme.names.Backends;
                            import io.github.resilience4j.retry.annotation.Retry;

                            class Prices {
                                private static final String FALLBACK = "none";

                                private static final String OTHER = "other";

                                @Retry(name = Backends.A, fallbackMethod = FALLBACK)
                                String price(String item) { return item; }

                                @Retry(name = OTHER)
                                String name(String item) { return item; }

                                @Retry(name = OTHER, configuration = Backends.A)
                                String place(String item) { return item; }

                                private String none(String item, Exception error) { return "?"; }
                            }
                            """, """
                            import com.acme.names.Backends;
                            import dev.retryon.spring.RetryOn;

                            class Prices {
                                private static final String FALLBACK = "none";

                                private static final String OTHER = "other";

                                @RetryOn(policy = Backends.A, recover = FALLBACK, recoverOn = {Exception.class, Error.class})
                                String price(String item) { return item; }

                                @RetryOn(policy = "default", name = OTHER)
                                String name(String item) { return item; }

                                @RetryOn(policy = Backends.A, name = OTHER)
                                String place(String item) { return item; }

                                private String none(String item, Exception error) { return "?"; }
                            }
                            """));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "enable-exponential-backoff",
                    "enable-randomized-wait",
                    "randomized-wait-factor",
                    "base-config"
                })
        void areLeftWhereAPlaceholderCannotBeCopied(String key) {
            String settings = "resilience4j.retry.instances.backend.%s: ${VALUE:true}\n".formatted(key);
            rewriteRun(
                    yaml(settings, spec -> spec.path("src/main/resources/application.yml")),
                    left(
                            "backend",
                            "the settings of 'backend' have a placeholder in " + key
                                    + ", which has another form in RetryOn"));
        }

        @Test
        void withoutSettingsUseTheDefaultConfiguration() {
            rewriteRun(settings("""
                            resilience4j.retry.configs.default.max-attempts: 5
                            """, """
                            retryon:
                              policies:
                                default:
                                  exceptions: java.lang.Exception
                                  max-attempts: 5
                                  backoff: fixed
                                  delay: 500ms
                                  jitter: none
                            """), java("""
                            import io.github.resilience4j.retry.annotation.Retry;

                            class Prices {
                                @Retry(name = "backend")
                                void price() {}
                            }
                            """, """
                            import dev.retryon.spring.RetryOn;

                            class Prices {
                                @RetryOn(policy = "default", name = "backend")
                                void price() {}
                            }
                            """));
        }

        @Test
        void areLeftWhereAnOverloadOfTheFallbackTakesNoError() {
            rewriteRun(
                    yaml(
                            "resilience4j.retry.instances.backend.max-attempts: 2",
                            spec -> spec.path("src/main/resources/application.yml")),
                    java("""
                            import io.github.resilience4j.retry.annotation.Retry;

                            class Prices {
                                @Retry(name = "backend", fallbackMethod = "none")
                                public String price(String item) { return item; }

                                private String none(String item, java.io.IOException error) { return none(); }

                                private String none() { return "?"; }
                            }
                            """, """
                            import io.github.resilience4j.retry.annotation.Retry;

                            class Prices {
                            %s    @Retry(name = "backend", fallbackMethod = "none")
                                public String price(String item) { return item; }

                                private String none(String item, java.io.IOException error) { return none(); }

                                private String none() { return "?"; }
                            }
                            """.formatted(comment(
                            "RetryOn would also recover with another overload of none; rename that overload", 82))));
        }

        @Test
        void areLeftWhereOtherMethodsWouldBeRetried() {
            rewriteRun(
                    properties(
                            "resilience4j.retry.instances.backend.max-attempts=5",
                            spec -> spec.path("src/main/resources/application.properties")),
                    java("""
                            import io.github.resilience4j.retry.annotation.Retry;

                            @Retry(name = "backend")
                            class Hidden {
                                void close() {}
                            }

                            interface Shop {
                                @Retry(name = "backend")
                                void open();
                            }

                            class LocalShop implements Shop {
                                public void open() {}
                            }

                            @Retry(name = "backend")
                            @interface Patient {}

                            class Later {
                                @Retry(name = "backend")
                                java.util.concurrent.Future<String> open() { return null; }
                            }
                            """, """
                            import io.github.resilience4j.retry.annotation.Retry;

                            // RetryOn: left as it is: it covers the method close, which is not public; on a
                            // class, @RetryOn covers public methods only, so annotate the methods
                            @Retry(name = "backend")
                            class Hidden {
                                void close() {}
                            }

                            interface Shop {
                                // RetryOn: left as it is: the method open of LocalShop would inherit
                                // @RetryOn, but Resilience4j does not retry that method
                                @Retry(name = "backend")
                                void open();
                            }

                            class LocalShop implements Shop {
                                public void open() {}
                            }

                            // RetryOn: left as it is: it has no effect on an annotation type, but @RetryOn
                            // would take effect there
                            @Retry(name = "backend")
                            @interface Patient {}

                            class Later {
                                // RetryOn: left as it is: the method open returns a result that can fail
                                // later; so far, only errors that the method throws were retried, on the
                                // caller's thread; @RetryOn also retries later failures
                                @Retry(name = "backend")
                                java.util.concurrent.Future<String> open() { return null; }
                            }
                            """));
        }

        @ParameterizedTest
        @ValueSource(strings = {"result-predicate", "retry-exception-predicate", "interval-bi-function"})
        void areLeftWhereCodeDecides(String key) {
            rewriteRun(settings("""
                            resilience4j.retry.instances:
                              picky:
                                %s: com.acme.Decides
                              plain:
                                max-attempts: 2
                            """.formatted(key), """
                            resilience4j.retry.instances:
                              picky:
                                %s: com.acme.Decides
                              plain:
                                max-attempts: 2
                            retryon:
                              policies:
                                plain:
                                  exceptions: java.lang.Exception
                                  max-attempts: 2
                                  backoff: fixed
                                  delay: 500ms
                                  jitter: none
                            """.formatted(key)), java("""
                            import io.github.resilience4j.retry.RetryConfig;
                            import io.github.resilience4j.retry.annotation.Retry;

                            class Prices {
                                RetryConfig config;

                                @Retry(name = "picky")
                                void pick() {}

                                @Retry(name = "#root.args[0]")
                                void spel(String name) {}

                                @Retry(name = "coded")
                                void coded() {}

                                @Retry(name = "plain")
                                void plain() {}
                            }
                            """, """
                            import dev.retryon.spring.RetryOn;
                            import io.github.resilience4j.retry.RetryConfig;
                            import io.github.resilience4j.retry.annotation.Retry;

                            class Prices {
                                RetryConfig config;

                            %s    @Retry(name = "picky")
                                void pick() {}

                                // RetryOn: left as it is: its name is an expression that uses the call
                                @Retry(name = "#root.args[0]")
                                void spel(String name) {}

                                // RetryOn: left as it is: no file of this module has settings for 'coded';
                                // add the applicable settings to retryon.policies.coded
                                @Retry(name = "coded")
                                void coded() {}

                                @RetryOn(policy = "plain")
                                void plain() {}
                            }
                            """.formatted(
                            comment("the settings of 'picky' have " + key + ", a class with its own logic"))));
        }
    }

    @Nested
    class Dependencies {

        private final Project project = Project.with("io.github.resilience4j:resilience4j-spring-boot4:2.4.0");

        private static final SourceSpecs RETRIED = java("""
                import io.github.resilience4j.retry.annotation.Retry;

                class Prices {
                    @Retry(name = "backend")
                    void price() {}
                }
                """, """
                import dev.retryon.spring.RetryOn;

                class Prices {
                    @RetryOn(policy = "backend")
                    void price() {}
                }
                """);

        private static final String SETTINGS = "resilience4j.retry.instances.backend.max-attempts=2\n";

        private static final String MOVED = """
                retryon.policies.backend.exceptions=java.lang.Exception
                retryon.policies.backend.max-attempts=2
                retryon.policies.backend.backoff=fixed
                retryon.policies.backend.delay=500ms
                retryon.policies.backend.jitter=none
                """;

        @Test
        void areReplacedWhereNothingElseNeedsThem() {
            rewriteRun(project.thatReplacesIt(srcMainJava(RETRIED), srcMainResources(settings(""))));
        }

        @Test
        void stayForCode() {
            rewriteRun(
                    srcMainJava(java("""
                            import io.github.resilience4j.retry.RetryRegistry;
                            import io.github.resilience4j.retry.annotation.Retry;

                            class Prices {
                                RetryRegistry registry;

                                @Retry(name = "backend")
                                void price() {}
                            }
                            """, """
                            import dev.retryon.spring.RetryOn;
                            // RetryOn: left as it is: it does not contain the methods with @RetryOn; use
                            // the bean dev.retryon.spring.RetryRegistry
                            import io.github.resilience4j.retry.RetryRegistry;

                            class Prices {
                                RetryRegistry registry;

                                @RetryOn(policy = "backend")
                                void price() {}
                            }
                            """)),
                    srcMainResources(
                            properties(SETTINGS, SETTINGS + MOVED, spec -> spec.path("application.properties"))));
        }

        @Test
        void stayForCircuitBreakersInCode() {
            rewriteRun(project.thatKeepsIt(srcMainJava(RETRIED, java("""
                            class Breakers {
                                io.github.resilience4j.bulkhead.annotation.Bulkhead first;
                            }
                            """), java("""
                            import io.github.resilience4j.bulkhead.annotation.Bulkhead;
                            import io.github.resilience4j.core.registry.RegistryEventConsumer;

                            class Others {
                                RegistryEventConsumer<Bulkhead> consumer;
                            }
                            """)), srcMainResources(settings(""))));
        }

        @Test
        void stayWithTheirImportsWhereNothingMoves() {
            rewriteRun(java("""
                    import io.github.resilience4j.bulkhead.annotation.Bulkhead;
                    import io.github.resilience4j.retry.annotation.Retry;

                    class Prices {
                        // @Retry(name = "backend")
                        // @Bulkhead(name = "backend")
                        void price() {}
                    }
                    """));
        }

        @Test
        void stayForKotlin() {
            rewriteRun(
                    spec -> spec.parser(KotlinParser.builder().classpath("resilience4j-annotations")),
                    project.thatKeepsIt(
                            srcMainJava(RETRIED),
                            srcMainKotlin(kotlin("""
                                    import io.github.resilience4j.retry.annotation.Retry

                                    open class Stock {
                                        @Retry(name = "backend")
                                        open fun amount() = 1
                                    }
                                    """, """
                                    // RetryOn: left as it is: this command changes only Java
                                    import io.github.resilience4j.retry.annotation.Retry

                                    open class Stock {
                                        @Retry(name = "backend")
                                        open fun amount() = 1
                                    }
                                    """)),
                            srcMainResources(properties(
                                    SETTINGS, SETTINGS + MOVED, spec -> spec.path("application.properties")))));
        }

        @Test
        void stayWithoutSpringBoot() {
            Project plain = Project.withoutSpringBoot("io.github.resilience4j:resilience4j-spring6:2.4.0");
            rewriteRun(plain.thatStays(
                    srcMainJava(java("""
                            import io.github.resilience4j.retry.annotation.Retry;

                            class Prices {
                                @Retry(name = "backend")
                                void price() {}
                            }
                            """, """
                            import io.github.resilience4j.retry.annotation.Retry;

                            class Prices {
                                // RetryOn: left as it is: this project does not use Spring Boot, and
                                // @RetryOn needs its auto-configuration
                                @Retry(name = "backend")
                                void price() {}
                            }
                            """)),
                    srcMainResources(properties(SETTINGS, spec -> spec.path("application.properties")))));
        }

        @Test
        void stayForCircuitBreakers() {
            rewriteRun(project.thatKeepsIt(
                    srcMainJava(RETRIED),
                    srcMainResources(
                            settings("resilience4j.circuitbreaker.instances.backend.sliding-window-size=5\n"))));
        }

        private SourceSpecs settings(String others) {
            return properties(SETTINGS + others, MOVED + others, spec -> spec.path("application.properties"));
        }
    }
}
