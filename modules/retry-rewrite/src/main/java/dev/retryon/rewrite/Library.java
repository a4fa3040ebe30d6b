// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/**
 * Which methods a library retries for an annotation, apart from the values of its attributes.
 *
 * @param annotation the full name of the annotation
 * @param attributes the names of its attributes, in the versions that the recipes know
 * @param composable whether it works on an annotation of the application
 * @param inheritable whether it works in classes that inherit the method or the class with it
 * @param coversInherited whether that of a class applies to methods that the class inherits
 * @param ignoresLaterFailures the types of results that can fail after the method has returned, which only RetryOn retries
 */
record Library(
        String annotation,
        Set<String> attributes,
        boolean composable,
        boolean inheritable,
        boolean coversInherited,
        Predicate<JavaType> ignoresLaterFailures) {

    private static final String FUTURE = "java.util.concurrent.Future";

    private static final String STAGE = "java.util.concurrent.CompletionStage";

    static final Library SPRING_RETRY = new Library(
            "org.springframework.retry.annotation.Retryable",
            Set.of(
                    "value",
                    "include",
                    "retryFor",
                    "exclude",
                    "noRetryFor",
                    "notRecoverable",
                    "recover",
                    "maxAttempts",
                    "maxAttemptsExpression",
                    "backoff",
                    "exceptionExpression",
                    "stateful",
                    "interceptor",
                    "label",
                    "listeners"),
            true,
            true,
            false,
            type -> isAny(type, FUTURE, STAGE, "org.reactivestreams.Publisher"));

    static final Library SPRING_FRAMEWORK = new Library(
            "org.springframework.resilience.annotation.Retryable",
            Set.of(
                    "value",
                    "includes",
                    "excludes",
                    "predicate",
                    "maxRetries",
                    "maxRetriesString",
                    "timeout",
                    "timeoutString",
                    "delay",
                    "delayString",
                    "jitter",
                    "jitterString",
                    "multiplier",
                    "multiplierString",
                    "maxDelay",
                    "maxDelayString",
                    "timeUnit"),
            true,
            true,
            true,
            type -> isAny(type, FUTURE, STAGE));

    static final Library RESILIENCE4J = new Library(
            "io.github.resilience4j.retry.annotation.Retry",
            Set.of("name", "configuration", "fallbackMethod"),
            false,
            false,
            false,
            type -> isAny(type, FUTURE) && !isAny(type, STAGE));

    /** Leaves an annotation with an attribute of another version, whose meaning is unknown. */
    void check(AnnotationAttributes written, Translation translation) {
        written.names()
                .filter(name -> !attributes.contains(name))
                .findFirst()
                .ifPresent(name -> translation.leave("its attribute " + name
                        + " is of another version of the library; move to its newest version first"));
    }

    private static boolean isAny(JavaType type, String... supertypes) {
        return Stream.of(supertypes).anyMatch(supertype -> TypeUtils.isAssignableTo(supertype, type));
    }
}
