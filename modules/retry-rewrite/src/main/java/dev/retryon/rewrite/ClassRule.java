// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/** The translations of the annotations of one library in one class. */
class ClassRule {

    private final Map<UUID, Translation> translations = new LinkedHashMap<>();

    /** Translates one type of annotation if only its attributes matter. */
    static ClassRule of(
            J.ClassDeclaration declaration, String type, Function<AnnotationAttributes, Translation> translator) {
        ClassRule rule = new ClassRule();
        J.Annotation ofClass = find(declaration.getLeadingAnnotations(), type);
        if (ofClass != null) {
            rule.put(ofClass, translator.apply(AnnotationAttributes.of(ofClass, declaration)));
        }
        for (J.MethodDeclaration method : methods(declaration)) {
            J.Annotation annotation = find(method.getLeadingAnnotations(), type);
            if (annotation != null) {
                Translation translation = translator.apply(AnnotationAttributes.of(annotation, method));
                if (ofClass != null) {
                    // In all three libraries, the annotation of a method replaces that of its class.
                    translation.inheritNothing();
                }
                rule.put(annotation, translation);
            }
        }
        if (ofClass != null) {
            rule.leaveTogether("annotation");
        }
        return rule;
    }

    final void put(J.Annotation annotation, Translation translation) {
        translations.put(annotation.getId(), translation);
    }

    /** If one annotation of the class is not migrated, no other one is. */
    final void leaveTogether(String annotation) {
        if (leavesAnnotations()) {
            translations
                    .values()
                    .forEach(translation -> translation.leave("another " + annotation
                            + " of this class was not migrated, and one method must not have both"));
        }
    }

    /** Whether something of the library stays in this class. */
    boolean leavesAnything() {
        return leavesAnnotations();
    }

    final boolean leavesAnnotations() {
        return translations.values().stream().anyMatch(translation -> translation.obstacle() != null);
    }

    final boolean movesAnything() {
        return translations.values().stream().anyMatch(translation -> translation.obstacle() == null);
    }

    /** Returns the translation of an annotation; {@code null} if it is not one of the library. */
    final @Nullable Translation translate(J.Annotation annotation) {
        return translations.get(annotation.getId());
    }

    /** Changes a method apart from the annotations that are translated. */
    J.MethodDeclaration change(J.MethodDeclaration method) {
        return method;
    }

    /** Whether a class or one of its methods has an annotation of a package. */
    static boolean concerns(J.ClassDeclaration declaration, String packagePrefix) {
        return hasAny(declaration.getLeadingAnnotations(), packagePrefix)
                || methods(declaration).stream()
                        .anyMatch(method -> hasAny(method.getLeadingAnnotations(), packagePrefix));
    }

    private static boolean hasAny(List<J.Annotation> annotations, String packagePrefix) {
        return annotations.stream()
                .anyMatch(annotation -> annotation.getType() instanceof JavaType.FullyQualified type
                        && type.getFullyQualifiedName().startsWith(packagePrefix));
    }

    static J.@Nullable Annotation find(List<J.Annotation> annotations, String type) {
        return annotations.stream()
                .filter(annotation -> TypeUtils.isOfClassType(annotation.getType(), type))
                .findFirst()
                .orElse(null);
    }

    static List<J.MethodDeclaration> methods(J.ClassDeclaration declaration) {
        return declaration.getBody().getStatements().stream()
                .filter(J.MethodDeclaration.class::isInstance)
                .map(J.MethodDeclaration.class::cast)
                .toList();
    }
}
