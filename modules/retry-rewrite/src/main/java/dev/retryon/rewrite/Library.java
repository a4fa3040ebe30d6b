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
 * The types of a library, and which methods it retries for an annotation, apart from the values of its attributes.
 *
 * @param packageName the package of its types, with a dot at the end
 * @param annotation the full name of the annotation
 * @param attributes the names of its attributes, in the versions that the recipes know
 * @param others the full names of the other types that move, or have no use without the annotation
 * @param untranslatable other annotations of the library that retry, and attributes with no counterpart, and why these
 *     are left
 * @param enabling the full name of the annotation that enables it; {@code null} if it enables itself
 * @param enablingBean the simple name of the bean that enables it too
 * @param composable whether it works on an annotation of the application
 * @param inheritable whether it works in classes that inherit the method or the class with it
 * @param coversInherited whether that of a class applies to methods that the class inherits
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
                    "stateful retries, one attempt for each call, have no counterpart",
                    "interceptor",
                    "your own interceptor bean decides here",
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
                    "a MethodRetryPredicate decides here; write it as onlyIf, or as a RetryDecider bean for all methods"),
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

    /** Leaves an annotation without counterpart, and one with an attribute that has none, or whose meaning is unknown. */
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
                                + " is of another version of the library; move to its newest version first");
            }
        });
    }

    /** Whether an annotation retries, so that it moves or is left with a reason. */
    boolean translates(J.Annotation candidate) {
        return name(candidate).equals(annotation) || untranslatable.containsKey(name(candidate));
    }

    private static String name(J.Annotation candidate) {
        return candidate.getType() instanceof JavaType.FullyQualified type ? type.getFullyQualifiedName() : "";
    }

    /** Whether a method is not covered by an annotation of its class. */
    boolean decides(JavaType.Method method) {
        return Hierarchy.has(method.getAnnotations(), annotation) || Hierarchy.has(method.getAnnotations(), RECOVER);
    }

    /** The simple names of types of which one enables the library; none if it enables itself. */
    Stream<String> enablers() {
        return enabling == null
                ? Stream.of()
                : Stream.of(enabling.substring(enabling.lastIndexOf('.') + 1), enablingBean);
    }

    /** Whether a type of the library moves. */
    boolean moves(String type) {
        return isOwn(type) && (type.equals(annotation) || type.equals(enabling) || others.contains(type));
    }

    /** The types that an annotation may need imports of. */
    Stream<String> replaced() {
        return Stream.concat(Stream.of(annotation), others.stream());
    }

    private boolean isOwn(String type) {
        return type.startsWith(packageName);
    }

    /** The types of the library that a source uses and that do not move. An import counts if its type is not known. */
    Stream<String> remaining(J.CompilationUnit unit) {
        String all = annotation.substring(0, annotation.lastIndexOf('.')) + ".*";
        return Stream.concat(imports(unit, false), names(unit).filter(this::isOwn))
                .filter(type -> !moves(type) && !type.equals(all));
    }

    /** The types of the library that a source imports without need. */
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

    /** The simple names of the types that a source uses. */
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
