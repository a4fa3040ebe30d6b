// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.openrewrite.java.tree.J;

/** The translations of spring-retry's annotations in one class. */
final class SpringRetryClass extends ClassRule {

    static final String PACKAGE = "org.springframework.retry.";

    static final String RETRYABLE = PACKAGE + "annotation.Retryable";

    static final String RECOVER = PACKAGE + "annotation.Recover";

    static final String CIRCUIT_BREAKER = PACKAGE + "annotation.CircuitBreaker";

    private final RecoverMethods recovers;

    /** The methods to which each annotation applies. */
    private final Map<Translation, List<J.MethodDeclaration>> retried = new LinkedHashMap<>();

    private final Found found;

    SpringRetryClass(J.ClassDeclaration declaration, Found found) {
        this.found = found;
        List<J.MethodDeclaration> methods = methods(declaration);
        this.recovers = new RecoverMethods(declaration, methods, found.contexts());
        J.Annotation ofClass = find(declaration.getLeadingAnnotations(), RETRYABLE);
        List<J.MethodDeclaration> covered = new ArrayList<>();
        for (J.MethodDeclaration method : methods) {
            List<J.Annotation> annotations = method.getLeadingAnnotations();
            J.Annotation annotation = find(annotations, RETRYABLE);
            if (annotation != null) {
                AnnotationAttributes attributes = AnnotationAttributes.of(annotation, method);
                Translation translation = SpringRetryTranslator.translate(attributes);
                put(annotation, attributes, translation, List.of(method));
                if (ofClass != null) {
                    // In spring-retry, the annotation of a method replaces that of its class.
                    translation.inheritNothing();
                }
            } else if (method.hasModifier(J.Modifier.Type.Public)
                    && !method.isConstructor()
                    && find(annotations, RECOVER) == null) {
                covered.add(method);
            }
            breaker(annotations);
        }
        breaker(declaration.getLeadingAnnotations());
        if (ofClass != null) {
            AnnotationAttributes attributes = AnnotationAttributes.of(ofClass, declaration);
            Translation translation = SpringRetryTranslator.translate(attributes);
            if (declaration.getKind() == J.ClassDeclaration.Kind.Type.Annotation && !methods.isEmpty()) {
                translation.leave("its attributes are passed on to @Retryable by @AliasFor");
            }
            put(ofClass, attributes, translation, covered);
            leaveTogether("@Retryable");
        }
        recovers.leaveShared();
    }

    /** Whether a method of this class is retried, by an annotation of its own or of its class. */
    static boolean isRetried(J.ClassDeclaration declaration, J.MethodDeclaration method) {
        return find(method.getLeadingAnnotations(), RETRYABLE) != null
                || (find(declaration.getLeadingAnnotations(), RETRYABLE) != null
                        && method.hasModifier(J.Modifier.Type.Public));
    }

    private void put(
            J.Annotation annotation,
            AnnotationAttributes attributes,
            Translation translation,
            List<J.MethodDeclaration> methods) {
        recovers.use(methods, attributes, translation);
        if (methods.stream().anyMatch(found.contexts()::areNeededBy)) {
            translation.leave("its code asks for the context of spring-retry, which is null in a method with @RetryOn;"
                    + " use RetryContext.current()");
        }
        put(annotation, found.refuse(translation));
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

    private void breaker(List<J.Annotation> annotations) {
        J.Annotation breaker = find(annotations, CIRCUIT_BREAKER);
        if (breaker != null) {
            Translation translation = new Translation();
            translation.leave("RetryOn has no circuit breaker");
            put(breaker, translation);
        }
    }

    @Override
    boolean leavesAnything() {
        return recovers.leavesAnything() || leavesAnnotations();
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
    J.MethodDeclaration change(J.MethodDeclaration method) {
        return recovers.change(method);
    }
}
