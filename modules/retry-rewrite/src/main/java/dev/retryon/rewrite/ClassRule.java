// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.TypeUtils;

/** The translations of the annotations of one library in one class. */
class ClassRule {

    private static final String NOT_BOTH =
            "another annotation of its methods was not migrated, and one method must not have both";

    private final Map<UUID, Translation> translations = new LinkedHashMap<>();

    private final Map<Translation, Reach> reaches = new LinkedHashMap<>();

    /** Translates the annotations of a library if only their attributes matter. */
    static ClassRule of(
            J.ClassDeclaration declaration,
            Library library,
            Hierarchy hierarchy,
            Function<AnnotationAttributes, Translation> translator) {
        Function<AnnotationAttributes, Translation> checked = attributes -> {
            Translation translation = translator.apply(attributes);
            library.check(attributes, translation);
            return translation;
        };
        ClassRule rule = new ClassRule();
        J.Annotation ofClass = find(declaration.getLeadingAnnotations(), library.annotation());
        if (ofClass != null) {
            Translation translation = checked.apply(AnnotationAttributes.of(ofClass, declaration));
            rule.put(ofClass, translation, Reach.of(declaration, null, library, hierarchy, translation));
        }
        for (J.MethodDeclaration method : methods(declaration)) {
            J.Annotation annotation = find(method.getLeadingAnnotations(), library.annotation());
            if (annotation != null) {
                Translation translation = checked.apply(AnnotationAttributes.of(annotation, method));
                rule.put(annotation, translation, Reach.of(declaration, method, library, hierarchy, translation));
            }
        }
        return rule;
    }

    final void put(J.Annotation annotation, Translation translation, Reach reach) {
        translations.put(annotation.getId(), translation);
        reaches.put(translation, reach);
    }

    /** Leaves what reaches a method that another annotation keeps, until nothing changes. */
    static void settle(Iterable<ClassRule> rules) {
        Map<Translation, Reach> all = new LinkedHashMap<>();
        rules.forEach(rule -> all.putAll(rule.reaches));
        List<Translation> left = new ArrayList<>(
                all.keySet().stream().filter(Translation::isLeft).toList());
        for (int i = 0; i < left.size(); i++) {
            Reach reach = all.get(left.get(i));
            all.forEach((translation, other) -> {
                if (!translation.isLeft() && reach != null && other.meets(reach)) {
                    translation.leave(NOT_BOTH);
                    left.add(translation);
                }
            });
            for (ClassRule rule : rules) {
                left.addAll(rule.leaveRelated());
            }
        }
    }

    /** Leaves annotations that need something that an annotation of this class keeps, and returns them. */
    List<Translation> leaveRelated() {
        return List.of();
    }

    /** Whether something of the library stays in this class. */
    boolean leavesAnything() {
        return translations.values().stream().anyMatch(Translation::isLeft);
    }

    final boolean movesAnything() {
        return !translations.values().stream().allMatch(Translation::isLeft);
    }

    /** Returns the translation of an annotation; {@code null} if it is not one of the library. */
    final @Nullable Translation translate(J.Annotation annotation) {
        return translations.get(annotation.getId());
    }

    /** Changes a method apart from the annotations that are translated. */
    J.MethodDeclaration change(J.MethodDeclaration method) {
        return method;
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
