/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/** What becomes of spring-retry's annotations in one class. Immutable once made. */
final class SpringRetryClass implements AnnotationRule {

    static final String PACKAGE = "org.springframework.retry.";

    static final String RETRYABLE = PACKAGE + "annotation.Retryable";

    static final String RECOVER = PACKAGE + "annotation.Recover";

    static final String CIRCUIT_BREAKER = PACKAGE + "annotation.CircuitBreaker";

    private final Map<UUID, Translation> translations = new LinkedHashMap<>();

    private final RecoverMethods recovers;

    /** The methods of which each annotation decides. */
    private final Map<Translation, List<J.MethodDeclaration>> retried = new LinkedHashMap<>();

    private final Found found;

    private SpringRetryClass(J.ClassDeclaration declaration, Found found) {
        this.found = found;
        List<J.MethodDeclaration> methods = methods(declaration);
        this.recovers = new RecoverMethods(declaration, methods, found.contexts());
        J.Annotation ofClass = find(declaration.getLeadingAnnotations(), RETRYABLE);
        Map<J.MethodDeclaration, J.Annotation> annotated = new LinkedHashMap<>();
        for (J.MethodDeclaration method : methods) {
            J.Annotation annotation = find(method.getLeadingAnnotations(), RETRYABLE);
            if (annotation != null) {
                annotated.put(method, annotation);
            }
            breaker(method.getLeadingAnnotations());
        }
        breaker(declaration.getLeadingAnnotations());
        annotated.forEach((method, annotation) -> translate(method, annotation, ofClass));
        if (ofClass != null) {
            Translation translation = SpringRetryTranslator.translate(AnnotationAttributes.of(ofClass, declaration));
            if (declaration.getKind() == J.ClassDeclaration.Kind.Type.Annotation && !methods.isEmpty()) {
                translation.leave("its attributes are passed on to @Retryable by @AliasFor");
            }
            List<J.MethodDeclaration> covered = methods.stream()
                    .filter(method -> !annotated.containsKey(method)
                            && method.hasModifier(J.Modifier.Type.Public)
                            && !method.isConstructor()
                            && find(method.getLeadingAnnotations(), RECOVER) == null)
                    .toList();
            recovers.useForAll(covered, AnnotationAttributes.of(ofClass, declaration), translation);
            put(ofClass, translation, covered);
        }
        leaveTogether(ofClass != null);
    }

    static SpringRetryClass of(J.ClassDeclaration declaration, Found found) {
        return new SpringRetryClass(declaration, found);
    }

    /** Whether a class or one of its methods has an annotation of spring-retry. */
    static boolean concerns(J.ClassDeclaration declaration) {
        return isTheirs(declaration.getLeadingAnnotations())
                || methods(declaration).stream().anyMatch(method -> isTheirs(method.getLeadingAnnotations()));
    }

    private static boolean isTheirs(List<J.Annotation> annotations) {
        return annotations.stream()
                .anyMatch(annotation -> annotation.getType() instanceof JavaType.FullyQualified type
                        && type.getFullyQualifiedName().startsWith(PACKAGE));
    }

    /** Whether a method of this class is retried, by an annotation of its own or of its class. */
    static boolean isRetried(J.ClassDeclaration declaration, J.MethodDeclaration method) {
        return find(method.getLeadingAnnotations(), RETRYABLE) != null
                || (find(declaration.getLeadingAnnotations(), RETRYABLE) != null
                        && method.hasModifier(J.Modifier.Type.Public));
    }

    private void put(J.Annotation annotation, Translation translation, List<J.MethodDeclaration> methods) {
        if (methods.stream().anyMatch(found.contexts()::areNeededBy)) {
            translation.leave("its code asks for the context of spring-retry, which is null in a method with @RetryOn;"
                    + " use RetryContext.current()");
        }
        translations.put(annotation.getId(), found.refuse(translation));
        retried.put(translation, methods);
    }

    /** The methods that RetryOn retries from now on. */
    Set<UUID> moved() {
        return retried.entrySet().stream()
                .filter(entry -> entry.getKey().obstacle() == null)
                .flatMap(entry -> entry.getValue().stream())
                .map(J.MethodDeclaration::getId)
                .collect(Collectors.toSet());
    }

    private void translate(J.MethodDeclaration method, J.Annotation annotation, J.@Nullable Annotation ofClass) {
        AnnotationAttributes attributes = AnnotationAttributes.of(annotation, method);
        Translation translation = SpringRetryTranslator.translate(attributes);
        recovers.use(method, attributes, translation);
        if (ofClass != null) {
            // With spring-retry the annotation of a method takes the place of that of its class.
            translation.inheritNothing();
        }
        put(annotation, translation, List.of(method));
    }

    /** A recovery method serves one library, and so does a class with an annotation for all its methods. */
    private void leaveTogether(boolean ofClass) {
        boolean any = translations.values().stream().anyMatch(translation -> translation.obstacle() != null);
        if (any && ofClass) {
            translations
                    .values()
                    .forEach(translation -> translation.leave(
                            "another @Retryable of this class was not migrated, and one method must not have both"));
        }
        recovers.leaveShared();
    }

    private void breaker(List<J.Annotation> annotations) {
        J.Annotation breaker = find(annotations, CIRCUIT_BREAKER);
        if (breaker != null) {
            Translation translation = new Translation();
            translation.leave("RetryOn has no circuit breaker");
            translations.put(breaker.getId(), translation);
        }
    }

    /** Whether something of spring-retry stays in this class. */
    boolean leavesAnything() {
        return recovers.leavesAnything()
                || translations.values().stream().anyMatch(translation -> translation.obstacle() != null);
    }

    boolean movesAnything() {
        return translations.values().stream().anyMatch(translation -> translation.obstacle() == null);
    }

    /** The new form of the recovery methods, by the old signature. */
    Map<String, RecoverMethods.Form> forms() {
        Map<String, RecoverMethods.Form> forms = new HashMap<>();
        recovers.forms().forEach((method, form) -> {
            if (method.getMethodType() != null) {
                forms.put(RecoverMethods.signature(method.getMethodType()), form);
            }
        });
        return forms;
    }

    @Override
    public @Nullable Translation translate(J.Annotation annotation) {
        return translations.get(annotation.getId());
    }

    @Override
    public J.MethodDeclaration change(J.MethodDeclaration method) {
        return recovers.change(method);
    }

    static J.@Nullable Annotation find(List<J.Annotation> annotations, String type) {
        return annotations.stream()
                .filter(annotation -> TypeUtils.isOfClassType(annotation.getType(), type))
                .findFirst()
                .orElse(null);
    }

    private static List<J.MethodDeclaration> methods(J.ClassDeclaration declaration) {
        List<J.MethodDeclaration> methods = new ArrayList<>();
        declaration.getBody().getStatements().forEach(statement -> {
            if (statement instanceof J.MethodDeclaration method) {
                methods.add(method);
            }
        });
        return methods;
    }

    /** Whether a type or one of those that it extends has a method with {@code @Recover}. */
    static boolean inheritsRecover(JavaType.@Nullable FullyQualified type) {
        JavaType.FullyQualified next = type == null ? null : type.getSupertype();
        while (next != null) {
            if (next.getMethods().stream()
                    .anyMatch(method -> method.getAnnotations().stream()
                            .anyMatch(annotation -> TypeUtils.isOfClassType(annotation, RECOVER)))) {
                return true;
            }
            next = next.getSupertype();
        }
        return false;
    }
}
