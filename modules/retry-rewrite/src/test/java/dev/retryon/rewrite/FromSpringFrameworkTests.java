// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import static org.openrewrite.java.Assertions.java;
import static org.openrewrite.java.Assertions.srcMainJava;
import static org.openrewrite.xml.Assertions.xml;

import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.openrewrite.java.JavaParser;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;
import org.openrewrite.test.SourceSpecs;
import org.openrewrite.test.TypeValidation;

class FromSpringFrameworkTests implements RewriteTest {

    private static final String RETRYABLE = "org.springframework.resilience.annotation.Retryable";

    @Override
    public void defaults(RecipeSpec spec) {
        spec.recipeFromResources("dev.retryon.rewrite.FromSpringFramework")
                .executionContext(Project.context())
                .parser(JavaParser.fromJavaVersion().classpath("spring-context", "spring-core"));
    }

    /** Adds something that enables the library; without it, nothing moves. */
    @Override
    public void rewriteRun(Consumer<RecipeSpec> spec, SourceSpecs... sources) {
        SourceSpecs enabling = xml("<bean class=\"com.acme.EnableResilientMethods\"/>");
        RewriteTest.super.rewriteRun(
                spec, Stream.concat(Stream.of(sources), Stream.of(enabling)).toArray(SourceSpecs[]::new));
    }

    @Test
    void attributesKeepTheirMeaning() {
        new Moves(RETRYABLE)
                // 4 = 1 + 3, the default of maxRetries
                .moved("@Retryable", on("maxAttempts = 4, backoff = 'fixed', jitter = 'none'"))
                .moved("@Retryable(maxRetries = 2)", on("maxAttempts = 3, backoff = 'fixed', jitter = 'none'"))
                .moved(
                        "@Retryable(value = IllegalStateException.class, maxRetries = 0)",
                        on("maxAttempts = 1, backoff = 'fixed', jitter = 'none'")
                                .replace("= {Exception.class, Error.class}", "= IllegalStateException.class"))
                .moved(
                        "@Retryable(includes = {IllegalStateException.class, java.io.IOException.class}, excludes = java.io.EOFException.class)",
                        on("excludes = java.io.EOFException.class, maxAttempts = 4, backoff = 'fixed', jitter = 'none'")
                                .replace(
                                        "= {Exception.class, Error.class}",
                                        "= {IllegalStateException.class, java.io.IOException.class}"))
                .moved(
                        "@Retryable(maxRetriesString = \"${retries:5}\")",
                        on("maxAttemptsString = '#{${retries:5} + 1}', backoff = 'fixed', jitter = 'none'"))
                .moved(
                        "@Retryable(maxRetriesString = \"#{@limits.retries}\")",
                        on("maxAttemptsString = '#{T(Integer).parseInt(QQ + (@limits.retries)) + 1}', backoff = 'fixed', jitter = 'none'")
                                .replace("QQ", "''"))
                .moved(
                        "@Retryable(maxRetriesString = \"#{${retries} * 2 - 1}\")",
                        on("maxAttemptsString = '#{(${retries} * 2 - 1) + 1}', backoff = 'fixed', jitter = 'none'"))
                .moved(
                        "@Retryable(maxRetriesString = \"5\", maxRetries = 1)",
                        on("maxAttempts = 6, backoff = 'fixed', jitter = 'none'"))
                .moved(
                        "@Retryable(timeout = 30000)",
                        on("maxAttempts = 4, backoff = 'fixed', jitter = 'none', timeout = '30s'"))
                .moved(
                        "@Retryable(timeoutString = \"${limit}\")",
                        on("maxAttempts = 4, backoff = 'fixed', jitter = 'none', timeout = '${limit}'"))
                .run(this);
    }

    @Test
    void waitsKeepTheirMeaning() {
        new Moves("java.util.concurrent.TimeUnit", RETRYABLE)
                .moved(
                        "@Retryable(delay = 2, timeUnit = TimeUnit.SECONDS)",
                        on("maxAttempts = 4, backoff = 'fixed', delay = '2s', jitter = 'none'"))
                .moved(
                        "@Retryable(delayString = \"2\", timeUnit = TimeUnit.MINUTES)",
                        on("maxAttempts = 4, backoff = 'fixed', delay = '2m', jitter = 'none'"))
                .moved(
                        "@Retryable(delayString = \"PT2S\", timeUnit = TimeUnit.MINUTES)",
                        on("maxAttempts = 4, backoff = 'fixed', delay = 'PT2S', jitter = 'none'"))
                .moved(
                        "@Retryable(delayString = \"${wait}\")",
                        on("maxAttempts = 4, backoff = 'fixed', delay = '${wait}', jitter = 'none'"))
                .moved(
                        "@Retryable(delay = DELAY)",
                        on("maxAttempts = 4, backoff = 'fixed', delay = DELAY + 'ms', jitter = 'none'"))
                .moved(
                        "@Retryable(delay = 200, multiplier = 2, maxDelay = 5000)",
                        on(
                                "maxAttempts = 4, backoff = 'exponential', delay = '200ms', multiplier = 2, maxDelay = '5s', jitter = 'none'"))
                .moved(
                        "@Retryable(multiplier = 3)",
                        on("maxAttempts = 4, backoff = 'exponential', multiplier = 3, jitter = 'none'"))
                // 1000 · 3^9 ms are more than the five minutes that RetryOn caps at by default
                .moved(
                        "@Retryable(multiplier = 3, maxRetries = 10)",
                        on(
                                "maxAttempts = 11, backoff = 'exponential', multiplier = 3, maxDelay = '24h', jitter = 'none'"))
                .moved(
                        "@Retryable(multiplierString = \"${m}\", maxDelayString = \"1m\")",
                        on(
                                "maxAttempts = 4, backoff = 'exponential', multiplierString = '${m}', maxDelay = '1m', jitter = 'none'"))
                .run(this);
    }

    @Test
    void jitterKeepsItsMeaning() {
        new Moves(RETRYABLE)
                .moved("@Retryable(jitter = 100)", on("maxAttempts = 4, backoff = 'fixed', jitter = '+100ms'"))
                .moved(
                        "@Retryable(jitterString = \"${spread}ms\")",
                        on("maxAttempts = 4, backoff = 'fixed', maxDelay = '24h', jitter = '+${spread}ms'"))
                .moved(
                        "@Retryable(delay = 0, jitter = 100)",
                        on("maxAttempts = 4, backoff = 'fixed', delay = '100ms', jitter = 'full'"))
                // 25 % = 50 / 200
                .moved(
                        "@Retryable(delay = 200, jitter = 50, multiplier = 2)",
                        on("maxAttempts = 4, backoff = 'exponential', delay = '200ms', multiplier = 2, jitter = '25%'"),
                        "jitter is the same percentage of every delay, and can now also shorten the first delay")
                .run(this);
    }

    @Test
    void jitterAboveTheDelayIsAddedToIt() {
        new Moves(RETRYABLE)
                .moved(
                        "@Retryable(delay = 1000, jitter = 5000, multiplier = 2)",
                        on("maxAttempts = 4, backoff = 'exponential', delay = '1s', multiplier = 2, jitter = '+5s'"),
                        "jitter used to grow with the delay; now the same time is added to every wait")
                .moved(
                        "@Retryable(delay = 1000, jitter = 1000, multiplier = 2)",
                        on("maxAttempts = 4, backoff = 'exponential', delay = '1s', multiplier = 2, jitter = '100%'"),
                        "jitter is the same percentage of every delay, and can now also shorten the first delay")
                .run(this);
    }

    @Test
    void constantsStayConstants() {
        new Moves("java.util.concurrent.TimeUnit", RETRYABLE)
                .moved(
                        "@Retryable(delay = DELAY, timeUnit = TimeUnit.SECONDS)",
                        on("maxAttempts = 4, backoff = 'fixed', delay = '5s', jitter = 'none'"))
                .run(this);
        rewriteRun(java("""
                        package com.acme.shop;

                        public interface Limits {
                            String RETRIES = "${retries:10}";

                            String FIVE = "5";

                            String COMPUTED = "#{@limits.retries}";

                            String DELAY = "${delay:100}";
                        }
                        """), java("""
                        package com.acme.shop;

                        import org.springframework.resilience.annotation.Retryable;

                        class Shop {
                            @Retryable(maxRetriesString = Limits.RETRIES, delayString = Limits.DELAY)
                            void open() {}

                            @Retryable(maxRetriesString = Limits.FIVE)
                            void close() {}

                            @Retryable(maxRetriesString = Limits.COMPUTED)
                            void clean() {}
                        }
                        """, """
                        package com.acme.shop;

                        import dev.retryon.spring.RetryOn;

                        class Shop {
                            @RetryOn(
                                    exceptions = {Exception.class, Error.class},
                                    maxAttemptsString = "#{" + Limits.RETRIES + " + 1}",
                                    backoff = "fixed",
                                    delay = Limits.DELAY,
                                    jitter = "none")
                            void open() {}

                            @RetryOn(
                                    exceptions = {Exception.class, Error.class},
                                    maxAttemptsString = "#{" + Limits.FIVE + " + 1}",
                                    backoff = "fixed",
                                    jitter = "none")
                            void close() {}

                            @RetryOn(
                                    exceptions = {Exception.class, Error.class},
                                    maxAttemptsString = "#{T(Integer).parseInt('' + (@limits.retries)) + 1}",
                                    backoff = "fixed",
                                    jitter = "none")
                            void clean() {}
                        }
                        """));
    }

    @Test
    void annotationsAreLeftWhereNothingMeansTheSame() {
        new Moves("java.util.concurrent.TimeUnit", RETRYABLE)
                .moved("@Retryable(maxRetries = 2)", on("maxAttempts = 3, backoff = 'fixed', jitter = 'none'"))
                .left(
                        "@Retryable(maxRetries = DELAY)",
                        "maxRetries is not a number; write maxAttempts, which is one higher")
                .left(
                        "@Retryable(predicate = org.springframework.resilience.retry.MethodRetryPredicate.class)",
                        "a MethodRetryPredicate controls these retries; write it as onlyIf, or as a RetryDecider bean"
                                + " for all methods")
                .left(
                        "@Retryable(maxRetriesString = \"1${more}\")",
                        "maxRetriesString mixes text and placeholders; write maxAttempts, which is one higher")
                .left(
                        "@Retryable(delayString = \"${wait}\", timeUnit = TimeUnit.SECONDS)",
                        "delayString can resolve to a number in a unit other than milliseconds")
                .left(
                        "@Retryable(delay = 500, timeUnit = TimeUnit.MICROSECONDS)",
                        "delay is not a whole number of milliseconds")
                .left(
                        "@Retryable(multiplier = 2, jitterString = \"${spread}\")",
                        "in RetryOn, jitter is a percentage of the delay, but the two values are not constants")
                .run(this);
    }

    @Test
    void theSwitchGoesAndTheStarterComes() {
        rewriteRun(Project.with().thatKeepsIt(srcMainJava(java("""
                                import org.springframework.context.annotation.Configuration;
                                import org.springframework.resilience.annotation.EnableResilientMethods;

                                @Configuration
                                @EnableResilientMethods
                                class Application {}
                                """, """
                                import org.springframework.context.annotation.Configuration;

                                @Configuration
                                class Application {}
                                """), java("""
                                import org.springframework.resilience.annotation.Retryable;

                                @Retryable(maxRetries = 5)
                                class Shop {
                                    @Retryable(delay = 0)
                                    public void open() {}
                                }
                                """, """
                                import dev.retryon.spring.Inherit;
                                import dev.retryon.spring.RetryOn;

                                @RetryOn(exceptions = {Exception.class, Error.class}, maxAttempts = 6, backoff = "fixed", jitter = "none")
                                class Shop {
                                    @RetryOn(
                                            exceptions = {Exception.class, Error.class},
                                            maxAttempts = 4,
                                            backoff = "fixed",
                                            delay = "0ms",
                                            jitter = "none",
                                            inherit = Inherit.NONE)
                                    public void open() {}
                                }
                                """))));
    }

    @Test
    void theSwitchStaysForLimitsOfConcurrency() {
        rewriteRun(java("""
                        import org.springframework.resilience.annotation.EnableResilientMethods;

                        @EnableResilientMethods
                        class Application {}
                        """), java("""
                        import org.springframework.resilience.annotation.ConcurrencyLimit;
                        import org.springframework.resilience.annotation.Retryable;

                        class Shop {
                            @ConcurrencyLimit(2)
                            @Retryable(maxRetries = 2)
                            public void open() {}
                        }
                        """, """
                        import dev.retryon.spring.RetryOn;
                        import org.springframework.resilience.annotation.ConcurrencyLimit;

                        class Shop {
                            @ConcurrencyLimit(2)
                            @RetryOn(exceptions = {Exception.class, Error.class}, maxAttempts = 3, backoff = "fixed", jitter = "none")
                            public void open() {}
                        }
                        """));
    }

    @Test
    void applicationsWithoutSpringBootStay() {
        Project project = Project.withoutSpringBoot("org.springframework:spring-context:7.0.9");
        rewriteRun(project.thatStays(srcMainJava(java("""
                import org.springframework.resilience.annotation.Retryable;

                class Shop {
                    @Retryable
                    public void open() {}
                }
                """, """
                import org.springframework.resilience.annotation.Retryable;

                class Shop {
                    // RetryOn: left as it is: this project does not use Spring Boot, and
                    // @RetryOn needs its auto-configuration
                    @Retryable
                    public void open() {}
                }
                """))));
    }

    @Test
    void attributesOfTheSwitchBecomeProperties() {
        rewriteRun(java("""
                import org.springframework.context.annotation.Configuration;
                import org.springframework.resilience.annotation.EnableResilientMethods;
                import org.springframework.resilience.annotation.Retryable;

                @Configuration
                @EnableResilientMethods(order = 5)
                class Shop {
                    @Retryable(maxRetries = 2)
                    public void open() {}
                }
                """, """
                import dev.retryon.spring.RetryOn;
                import org.springframework.context.annotation.Configuration;

                // RetryOn: @EnableResilientMethods had order = 5; the property retryon.order
                // replaces it
                @Configuration
                class Shop {
                    @RetryOn(exceptions = {Exception.class, Error.class}, maxAttempts = 3, backoff = "fixed", jitter = "none")
                    public void open() {}
                }
                """));
    }

    @Test
    void attributesOfAnotherVersionStay() {
        rewriteRun(spec -> spec.typeValidationOptions(TypeValidation.none()), java("""
                import org.springframework.resilience.annotation.Retryable;

                class Shop {
                    @Retryable(maxAttempts = 7)
                    public void open() {}
                }
                """, """
                import org.springframework.resilience.annotation.Retryable;

                class Shop {
                    // RetryOn: left as it is: its attribute maxAttempts belongs to another
                    // version of the library; upgrade to the newest version first
                    @Retryable(maxAttempts = 7)
                    public void open() {}
                }
                """));
    }

    @Test
    void classesWithMethodsThatAreNotPublicStay() {
        rewriteRun(java("""
                import org.springframework.resilience.annotation.Retryable;

                @Retryable
                class Shop {
                    void open() {}
                }
                """, """
                import org.springframework.resilience.annotation.Retryable;

                // RetryOn: left as it is: it covers the method open, which is not public; on a
                // class, @RetryOn covers public methods only, so annotate the methods
                @Retryable
                class Shop {
                    void open() {}
                }
                """));
    }

    @Test
    void annotationsOfTheApplicationWithAttributesStay() {
        rewriteRun(java("""
                import org.springframework.core.annotation.AliasFor;
                import org.springframework.resilience.annotation.Retryable;

                @Retryable
                @interface Patient {
                    @AliasFor(annotation = Retryable.class, attribute = "maxRetries")
                    long retries();
                }
                """, """
                import org.springframework.core.annotation.AliasFor;
                import org.springframework.resilience.annotation.Retryable;

                // RetryOn: left as it is: its attributes are passed on to @Retryable by
                // @AliasFor
                @Retryable
                @interface Patient {
                    @AliasFor(annotation = Retryable.class, attribute = "maxRetries")
                    long retries();
                }
                """));
    }

    @Test
    void listenersAreMarkedOnlyWhereMethodsMove() {
        rewriteRun(java("""
                import org.springframework.resilience.retry.MethodRetryEvent;

                class Shop {
                    void listen(MethodRetryEvent event) {}
                }
                """));
    }

    @Test
    void methodsThatReturnFuturesStay() {
        rewriteRun(java("""
                import java.util.concurrent.Future;
                import org.springframework.resilience.annotation.Retryable;

                class Shop {
                    @Retryable
                    public Future<String> open() { return null; }
                }
                """, """
                import java.util.concurrent.Future;
                import org.springframework.resilience.annotation.Retryable;

                class Shop {
                    // RetryOn: left as it is: the method open returns a result that can fail
                    // later; so far, only errors that the method throws were retried, on the
                    // caller's thread; @RetryOn also retries later failures
                    @Retryable
                    public Future<String> open() { return null; }
                }
                """));
    }

    @Test
    void applicationsThatDoNotEnableRetriesStay() {
        RewriteTest.super.rewriteRun(spec -> {}, java("""
                import org.springframework.resilience.annotation.Retryable;

                class Shop {
                    @Retryable
                    public void open() {}
                }
                """, """
                import org.springframework.resilience.annotation.Retryable;

                class Shop {
                    // RetryOn: left as it is: these sources have no @EnableResilientMethods, so
                    // this annotation might have no effect; if it retries calls, write
                    // @RetryOn, and otherwise remove it
                    @Retryable
                    public void open() {}
                }
                """));
    }

    @Test
    void retriesOutsideOfTransactionsWithAnOrderStay() {
        rewriteRun(java("""
                package org.springframework.transaction.annotation;

                public @interface EnableTransactionManagement {
                    int order();
                }
                """), java("""
                @org.springframework.transaction.annotation.EnableTransactionManagement(order = 0)
                class Application {}
                """), java("""
                import org.springframework.resilience.annotation.Retryable;

                class Shop {
                    @Retryable
                    public void open() {}
                }
                """, """
                import org.springframework.resilience.annotation.Retryable;

                class Shop {
                    // RetryOn: left as it is: transactions have a configured order, so they run
                    // inside the retries of @Retryable and would run outside the retries of
                    // @RetryOn; write @RetryOn, and set retryon.order to a lower value
                    @Retryable
                    public void open() {}
                }
                """));
    }

    @Test
    void templatesAndListenersAreMarked() {
        rewriteRun(java("""
                import org.springframework.core.retry.RetryTemplate;
                import org.springframework.resilience.annotation.Retryable;
                import org.springframework.resilience.retry.MethodRetryEvent;

                class Shop {
                    RetryTemplate template;

                    @Retryable(maxRetries = 2)
                    void open() {}

                    void listen(MethodRetryEvent event) {}
                }
                """, """
                import dev.retryon.spring.RetryOn;
                // RetryOn: left as it is: use the RetryRegistry bean instead of a RetryTemplate
                import org.springframework.core.retry.RetryTemplate;
                // RetryOn: left as it is: methods with @RetryOn publish
                // dev.retryon.RetryScheduled, RetrySucceeded and RetryFailed instead
                import org.springframework.resilience.retry.MethodRetryEvent;

                class Shop {
                    RetryTemplate template;

                    @RetryOn(exceptions = {Exception.class, Error.class}, maxAttempts = 3, backoff = "fixed", jitter = "none")
                    void open() {}

                    void listen(MethodRetryEvent event) {}
                }
                """));
    }

    private static String on(String attributes) {
        return "@RetryOn(exceptions = {Exception.class, Error.class}, " + attributes.replace('\'', '"') + ")";
    }
}
