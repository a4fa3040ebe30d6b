// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import static org.openrewrite.java.Assertions.java;
import static org.openrewrite.java.Assertions.srcMainJava;
import static org.openrewrite.java.Assertions.srcMainResources;
import static org.openrewrite.properties.Assertions.properties;
import static org.openrewrite.yaml.Assertions.yaml;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openrewrite.java.JavaParser;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;
import org.openrewrite.test.SourceSpecs;

class FromResilience4jTests implements RewriteTest {

    @Override
    public void defaults(RecipeSpec spec) {
        spec.recipeFromResources("dev.retryon.rewrite.FromResilience4j")
                .parser(JavaParser.fromJavaVersion().classpath("resilience4j-annotations", "resilience4j-retry"));
    }

    private static SourceSpecs settings(String before, String after) {
        return yaml(before, after, spec -> spec.path("src/main/resources/application.yml"));
    }

    @Nested
    class Settings {

        @Test
        void becomeWholePolicies() {
            rewriteRun(settings("""
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
                          bare: {}
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
            rewriteRun(settings("""
                    resilience4j.retry:
                      retry-aspect-order: 5
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
                    # RetryOn: retry-aspect-order was not moved: the order of RetryOn is retryon.order
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
        void thatOnlyAProfileHasAreWhole() {
            rewriteRun(settings("""
                    spring.config.activate.on-profile: slow
                    resilience4j.retry.instances.backend.max-attempts: 5
                    """, """
                    spring.config.activate.on-profile: slow
                    retryon:
                      policies:
                        backend:
                          exceptions: java.lang.Exception
                          max-attempts: 5
                          backoff: fixed
                          delay: 500ms
                          jitter: none
                    """));
        }

        @Test
        void keepPlaceholders() {
            rewriteRun(settings("""
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
                    # RetryOn: instance 'forgotten' was not moved: no @Retry uses it
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
            rewriteRun(properties("""
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
        void ofCircuitBreakersStay() {
            rewriteRun(settings("""
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
            rewriteRun(
                    settings("""
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
                            """),
                    java(
                            """
                            import io.github.resilience4j.retry.annotation.Retry;

                            @Retry(name = "other")
                            class Shop {
                                String close() { return "closed"; }
                            }

                            class Prices {
                                @Retry(name = "backend", fallbackMethod = "none")
                                String price(String item) { return item; }

                                @Retry(name = "other", fallbackMethod = "none")
                                String name(String item) { return item; }

                                @Retry(name = "mine", configuration = "other")
                                void order() {}

                                @Retry(name = "unknown")
                                void deliver() {}

                                private String none(String item, Exception error) { return "?"; }
                            }
                            """,
                            """
                            import dev.retryon.spring.RetryOn;

                            @RetryOn(policy = "other")
                            class Shop {
                                String close() { return "closed"; }
                            }

                            class Prices {
                                @RetryOn(policy = "backend", recover = "none", recoverOn = Throwable.class)
                                String price(String item) { return item; }

                                @RetryOn(policy = "other", recover = "none")
                                String name(String item) { return item; }

                                @RetryOn(policy = "other", name = "mine")
                                void order() {}

                                @RetryOn(name = "unknown", exceptions = Exception.class, backoff = "fixed", delay = "500ms", jitter = "none")
                                void deliver() {}

                                private String none(String item, Exception error) { return "?"; }
                            }
                            """.replace(
                                            "@RetryOn(name = \"unknown\", exceptions = Exception.class, backoff = \"fixed\", delay = \"500ms\", jitter = \"none\")",
                                            Moves.wrapped(
                                                    "@RetryOn(name = \"unknown\", exceptions = Exception.class, backoff = \"fixed\", delay = \"500ms\", jitter = \"none\")"))));
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

                                @RetryOn(policy = Backends.A, recover = FALLBACK, recoverOn = Throwable.class)
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
            rewriteRun(yaml(settings, spec -> spec.path("src/main/resources/application.yml")), java("""
                    import io.github.resilience4j.retry.annotation.Retry;

                    class Prices {
                        @Retry(name = "backend")
                        void price() {}
                    }
                    """, """
                    import io.github.resilience4j.retry.annotation.Retry;

                    class Prices {
                        // RetryOn: left as it is: the settings of 'backend' have a placeholder in %s, which has another form in RetryOn
                        @Retry(name = "backend")
                        void price() {}
                    }
                    """.formatted(
                            key)));
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

                                // RetryOn: left as it is: the settings of 'picky' have %s, a class that decides in code
                                @Retry(name = "picky")
                                void pick() {}

                                // RetryOn: left as it is: its name is an expression over the call
                                @Retry(name = "#root.args[0]")
                                void spel(String name) {}

                                // RetryOn: left as it is: 'coded' is in no properties, so it may be configured in code
                                @Retry(name = "coded")
                                void coded() {}

                                @RetryOn(policy = "plain")
                                void plain() {}
                            }
                            """.formatted(key)));
        }
    }

    @Nested
    class Dependencies {

        private final Project project = new Project("""
                <groupId>io.github.resilience4j</groupId>
                <artifactId>resilience4j-spring-boot4</artifactId>
                <version>2.4.0</version>
                """);

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

                                @Retry(name = "other")
                                void name() {}
                            }
                            """, """
                            import dev.retryon.spring.RetryOn;
                            import io.github.resilience4j.retry.RetryRegistry;

                            class Prices {
                                RetryRegistry registry;

                                @RetryOn(policy = "backend")
                                void price() {}

                                @RetryOn(name = "other", exceptions = Exception.class, backoff = "fixed", delay = "500ms", jitter = "none")
                                void name() {}
                            }
                            """)),
                    srcMainResources(
                            properties(SETTINGS, SETTINGS + MOVED, spec -> spec.path("application.properties"))));
        }

        @Test
        void stayWithoutSpringBoot() {
            Project plain = new Project("""
                    <groupId>io.github.resilience4j</groupId>
                    <artifactId>resilience4j-spring6</artifactId>
                    <version>2.4.0</version>
                    """, false);
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
                                // RetryOn: left as it is: this project has no Spring Boot, and only its auto-configuration makes @RetryOn work
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
