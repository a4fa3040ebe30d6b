// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.J;

/** The translations of spring-retry's annotations in one class. */
final class SpringRetryClass extends ClassRule {

    static final String PACKAGE = "org.springframework.retry.";

    static final String RETRYABLE = Library.SPRING_RETRY.annotation();

    static final String RECOVER = PACKAGE + "annotation.Recover";

    static final String CIRCUIT_BREAKER = PACKAGE + "annotation.CircuitBreaker";

    private final RecoverMethods recovers;

    private final J.ClassDeclaration declaration;

    private final Found found;

    SpringRetryClass(J.ClassDeclaration declaration, Found found) {
        this.declaration = declaration;
        this.found = found;
        List<J.MethodDeclaration> methods = methods(declaration);
        this.recovers = new RecoverMethods(declaration, methods, found.hierarchy());
        List<J.MethodDeclaration> covered = new ArrayList<>();
        for (J.MethodDeclaration method : methods) {
            J.Annotation annotation = find(method.getLeadingAnnotations(), RETRYABLE);
            if (annotation != null) {
                put(annotation, AnnotationAttributes.of(annotation, method), method, List.of(method));
            } else if (!method.isConstructor() && find(method.getLeadingAnnotations(), RECOVER) == null) {
                covered.add(method);
            }
            breaker(method.getLeadingAnnotations(), method);
        }
        breaker(declaration.getLeadingAnnotations(), null);
        J.Annotation ofClass = find(declaration.getLeadingAnnotations(), RETRYABLE);
        if (ofClass != null) {
            put(ofClass, AnnotationAttributes.of(ofClass, declaration), null, covered);
        }
    }

    private void put(
            J.Annotation annotation,
            AnnotationAttributes attributes,
            J.@Nullable MethodDeclaration method,
            List<J.MethodDeclaration> methods) {
        Translation translation = SpringRetryTranslator.translate(attributes);
        Library.SPRING_RETRY.check(attributes, translation);
        if (declaration.getKind() == J.ClassDeclaration.Kind.Type.Annotation
                && !methods(declaration).isEmpty()) {
            translation.leave("its attributes are passed on to @Retryable by @AliasFor");
        }
        Reach reach = Reach.of(declaration, method, Library.SPRING_RETRY, found.hierarchy(), translation);
        recovers.use(methods, reach, attributes, translation);
        if (methods.stream().anyMatch(RecoverMethods::asksForContext)) {
            translation.leave("its code asks for the context of spring-retry, which is null in a method with @RetryOn;"
                    + " use RetryContext.current()");
        }
        put(annotation, found.refuse(translation), reach);
    }

    private void breaker(List<J.Annotation> annotations, J.@Nullable MethodDeclaration method) {
        J.Annotation breaker = find(annotations, CIRCUIT_BREAKER);
        if (breaker != null) {
            Translation translation = new Translation();
            translation.leave("RetryOn has no circuit breaker");
            put(
                    breaker,
                    translation,
                    Reach.of(declaration, method, Library.SPRING_RETRY, found.hierarchy(), translation));
        }
    }

    @Override
    List<Translation> leaveRelated() {
        return recovers.leaveShared();
    }

    @Override
    boolean leavesAnything() {
        return recovers.leavesAnything() || super.leavesAnything();
    }

    /** The old signatures of the recovery methods whose error moves behind the arguments. */
    Set<String> reordered() {
        return recovers.moved().stream()
                .filter(RecoverMethods::takesError)
                .map(J.MethodDeclaration::getMethodType)
                .filter(Objects::nonNull)
                .map(RecoverMethods::signature)
                .collect(Collectors.toSet());
    }

    @Override
    J.MethodDeclaration change(J.MethodDeclaration method) {
        return recovers.change(method);
    }
}
