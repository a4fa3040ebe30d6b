// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.openrewrite.ExecutionContext;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.Space;

/** Replaces the annotations of a library, on classes and methods, by {@code @RetryOn}. */
class AnnotationVisitor extends JavaIsoVisitor<ExecutionContext> {

    private final Function<J.ClassDeclaration, ClassRule> rules;

    private final Set<String> oldTypes;

    AnnotationVisitor(Set<String> oldTypes, Function<J.ClassDeclaration, ClassRule> rules) {
        this.oldTypes = oldTypes;
        this.rules = rules;
    }

    @Override
    public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration classDeclaration, ExecutionContext context) {
        ClassRule rule = rules.apply(classDeclaration);
        J.ClassDeclaration changed = super.visitClassDeclaration(classDeclaration, context);
        changed = changed.withLeadingAnnotations(translate(rule, changed.getLeadingAnnotations(), changed.getPrefix()));
        return changed.withBody(changed.getBody()
                .withStatements(ListUtils.map(
                        changed.getBody().getStatements(),
                        statement ->
                                statement instanceof J.MethodDeclaration method ? change(rule, method) : statement)));
    }

    private J.MethodDeclaration change(ClassRule rule, J.MethodDeclaration method) {
        return rule.change(
                method.withLeadingAnnotations(translate(rule, method.getLeadingAnnotations(), method.getPrefix())));
    }

    private List<J.Annotation> translate(ClassRule rule, List<J.Annotation> annotations, Space prefix) {
        String lineStart = Comments.lineStart(prefix);
        return ListUtils.map(annotations, annotation -> {
            Translation translation = rule.translate(annotation);
            if (translation == null) {
                return annotation;
            }
            String obstacle = translation.obstacle();
            if (obstacle != null) {
                return Comments.add(annotation, "left as it is: " + obstacle, lineStart);
            }
            translation.types().forEach(this::maybeAddImport);
            oldTypes.forEach(this::maybeRemoveImport);
            return translation.replace(annotation, lineStart);
        });
    }
}
