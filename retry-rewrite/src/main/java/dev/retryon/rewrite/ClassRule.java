/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.rewrite;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.J;

/** What becomes of one kind of annotation in one class, where nothing but its attributes matters. */
final class ClassRule implements AnnotationRule {

    /** Translates the attributes of one annotation. */
    @FunctionalInterface
    interface Translator {

        /** Translates attributes. */
        Translation translate(AnnotationAttributes attributes);
    }

    private final Map<UUID, Translation> translations = new LinkedHashMap<>();

    private ClassRule() {}

    static ClassRule of(J.ClassDeclaration declaration, String type, Translator translator) {
        ClassRule rule = new ClassRule();
        J.Annotation ofClass = SpringRetryClass.find(declaration.getLeadingAnnotations(), type);
        if (ofClass != null) {
            rule.translations.put(ofClass.getId(), translator.translate(AnnotationAttributes.of(ofClass, declaration)));
        }
        declaration.getBody().getStatements().forEach(statement -> {
            if (!(statement instanceof J.MethodDeclaration method)) {
                return;
            }
            J.Annotation annotation = SpringRetryClass.find(method.getLeadingAnnotations(), type);
            if (annotation != null) {
                Translation translation = translator.translate(AnnotationAttributes.of(annotation, method));
                if (ofClass != null) {
                    // With all three libraries the annotation of a method takes the place of that of its class.
                    translation.inheritNothing();
                }
                rule.translations.put(annotation.getId(), translation);
            }
        });
        boolean left = rule.translations.values().stream().anyMatch(translation -> translation.obstacle() != null);
        if (ofClass != null && left) {
            rule.translations
                    .values()
                    .forEach(translation -> translation.leave(
                            "another annotation of this class was not migrated, and one method must not have both"));
        }
        return rule;
    }

    Map<UUID, Translation> translations() {
        return translations;
    }

    @Override
    public @Nullable Translation translate(J.Annotation annotation) {
        return translations.get(annotation.getId());
    }
}
