// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/**
 * The types of a library, and the methods that it retries for an annotation, apart from the values of the annotation's
 * attributes.
 *
 * @param packageName the package of the library's types, with a dot at the end
 * @param annotation the full name of the annotation
 * @param attributes the names of the annotation's attributes, in the versions that the recipes know
 * @param others the full names of the other types that are migrated, or are unnecessary without the annotation
 * @param untranslatable other annotations of the library that retry, and attributes without a counterpart, and the reasons
 *     why these are left
 * @param enabling the full name of the annotation that enables the library; {@code null} if it enables itself
 * @param enablingBean the simple name of the bean that also enables the library
 * @param composable whether the annotation works on an annotation type of the application
 * @param inheritable whether the annotation works in classes that inherit the annotated method or class
 * @param coversInherited whether a class annotation applies to methods that the class inherits
 * @param ignoresLaterFailures the types of results that can fail after the method has returned, which only RetryOn retries
 */
record Library(
        String packageName,
        String annotation,
        Set<String> attributes,
        Set<String> others,
        Map<String, String> untranslatable,
        @Nullable String enabling,
        String enablingBean,
        boolean composable,
        boolean inheritable,
        boolean coversInherited,
        Predicate<JavaType> ignoresLaterFailures) {

    /** The methods that recover, which spring-retry does not retry. */
    static final String RECOVER = "org.springframework.retry.annotation.Recover";

    private static final String FUTURE = "java.util.concurrent.Future";

    private static final String STAGE = "java.util.concurrent.CompletionStage";

    static final Library SPRING_RETRY = new Library(
            "org.springframework.retry.",
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
            Set.of(RECOVER, "org.springframework.retry.annotation.Backoff"),
            Map.of(
                    "org.springframework.retry.annotation.CircuitBreaker",
                    "RetryOn has no circuit breaker",
                    "stateful",
                    "stateful retries (one attempt for each call) have no counterpart",
                    "interceptor",
                    "your own interceptor bean controls these retries",
                    "exceptionExpression",
                    "exceptionExpression has the error as its root; write it as onlyIf, where the error is #error"),
            "org.springframework.retry.annotation.EnableRetry",
            "RetryConfiguration",
            true,
            true,
            false,
            type -> isAny(type, FUTURE, STAGE, "org.reactivestreams.Publisher"));

    static final Library SPRING_FRAMEWORK = new Library(
            "org.springframework.resilience.annotation.",
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
            Set.of("java.util.concurrent.TimeUnit"),
            Map.of(
                    "predicate",
                    "a MethodRetryPredicate controls these retries; write it as onlyIf, or as a RetryDecider bean for"
                            + " all methods"),
            "org.springframework.resilience.annotation.EnableResilientMethods",
            "RetryAnnotationBeanPostProcessor",
            true,
            true,
            true,
            type -> isAny(type, FUTURE, STAGE));

    static final Library RESILIENCE4J = new Library(
            "io.github.resilience4j.",
            "io.github.resilience4j.retry.annotation.Retry",
            Set.of("name", "configuration", "fallbackMethod"),
            Set.of(),
            Map.of(),
            null,
            "",
            false,
            false,
            false,
            type -> isAny(type, FUTURE) && !isAny(type, STAGE));

    /** Leaves an annotation that has no counterpart, or whose attribute has no counterpart or an unknown meaning. */
    void check(Site site) {
        String ofType = untranslatable.get(name(site.annotation()));
        if (ofType != null) {
            site.translation().leave(ofType);
        }
        site.attributes().names().forEach(attribute -> {
            String reason = untranslatable.get(attribute);
            if (reason != null && site.attributes().isSet(attribute)) {
                site.translation().leave(reason);
            } else if (!attributes.contains(attribute)) {
                site.translation()
                        .leave("its attribute " + attribute
                                + " belongs to another version of the library; upgrade to the newest version first");
            }
        });
    }

    /** Returns whether an annotation retries, so that it is migrated or is left with a reason. */
    boolean translates(J.Annotation candidate) {
        return name(candidate).equals(annotation) || untranslatable.containsKey(name(candidate));
    }

    private static String name(J.Annotation candidate) {
        return candidate.getType() instanceof JavaType.FullyQualified type ? type.getFullyQualifiedName() : "";
    }

    /** Returns whether a method has its own annotation, so that the annotation of its class does not apply. */
    boolean decides(JavaType.Method method) {
        return Hierarchy.has(method.getAnnotations(), annotation) || Hierarchy.has(method.getAnnotations(), RECOVER);
    }

    /** Returns the simple names of types, one of which enables the library, or none if the library enables itself. */
    Stream<String> enablers() {
        return enabling == null
                ? Stream.of()
                : Stream.of(enabling.substring(enabling.lastIndexOf('.') + 1), enablingBean);
    }

    boolean moves(String type) {
        return isOwn(type) && (type.equals(annotation) || type.equals(enabling) || others.contains(type));
    }

    /** Returns the types for which an annotation might need imports. */
    Stream<String> replaced() {
        return Stream.concat(Stream.of(annotation), others.stream());
    }

    private boolean isOwn(String type) {
        return type.startsWith(packageName);
    }

    /** Returns the unmigrated types of the library that a source uses. An import counts if its type is unknown. */
    Stream<String> remaining(J.CompilationUnit unit) {
        String all = annotation.substring(0, annotation.lastIndexOf('.')) + ".*";
        return Stream.concat(imports(unit, false), names(unit).filter(this::isOwn))
                .filter(type -> !moves(type) && !type.equals(all));
    }

    /** Returns the types of the library that a source imports unnecessarily. */
    Stream<String> unused(J.CompilationUnit unit) {
        return imports(unit, true);
    }

    private Stream<String> imports(J.CompilationUnit unit, boolean unused) {
        return unit.getImports().stream()
                .filter(imported -> isOwn(imported.getTypeName()) && isUnused(imported, unit) == unused)
                .map(J.Import::getTypeName);
    }

    private static boolean isUnused(J.Import imported, J.CompilationUnit unit) {
        return !imported.isStatic()
                && imported.getQualid().getType() instanceof JavaType.Class
                && names(unit).noneMatch(imported.getTypeName()::equals);
    }

    private static Stream<String> names(J.CompilationUnit unit) {
        return unit.getTypesInUse().getTypesInUse().stream()
                .filter(JavaType.FullyQualified.class::isInstance)
                .map(type -> ((JavaType.FullyQualified) type).getFullyQualifiedName());
    }

    static Set<String> simpleNames(J.CompilationUnit unit) {
        return names(unit)
                .map(name -> name.substring(name.lastIndexOf('.') + 1))
                .collect(Collectors.toSet());
    }

    static Stream<J.MethodDeclaration> methods(J.ClassDeclaration declaration) {
        return declaration.getBody().getStatements().stream()
                .filter(J.MethodDeclaration.class::isInstance)
                .map(J.MethodDeclaration.class::cast);
    }

    private static boolean isAny(JavaType type, String... supertypes) {
        return Stream.of(supertypes).anyMatch(supertype -> TypeUtils.isAssignableTo(supertype, type));
    }
}
