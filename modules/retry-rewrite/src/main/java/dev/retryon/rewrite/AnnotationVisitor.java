// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.SourceFile;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.AnnotationMatcher;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.RemoveAnnotationVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.Space;

/** Replaces the annotations of a library, on classes and methods, by {@code @RetryOn}. */
class AnnotationVisitor extends JavaIsoVisitor<ExecutionContext> {

    private static final String INDENT = "    ";

    private final Set<String> oldTypes;

    /** The annotation that enables the library, which is removed; {@code null} if it stays. */
    private final @Nullable String enabling;

    private final Found found;

    /**
     * Creates a visitor.
     *
     * @param oldTypes types whose imports are removed with the annotations
     * @param enabling the annotation that enables the library, which is removed if nothing else needs it; {@code null} if
     *     there is none
     */
    AnnotationVisitor(Set<String> oldTypes, @Nullable String enabling, Found found) {
        this.oldTypes = oldTypes;
        this.enabling = found.anythingStays() ? null : enabling;
        this.found = found;
    }

    @Override
    public J.CompilationUnit visitCompilationUnit(J.CompilationUnit unit, ExecutionContext context) {
        J.CompilationUnit changed = super.visitCompilationUnit(unit, context);
        if (enabling != null) {
            doAfterVisit(new RemoveAnnotationVisitor(new AnnotationMatcher("@" + enabling)));
            maybeRemoveImport(enabling);
        }
        return changed;
    }

    @Override
    public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration declaration, ExecutionContext context) {
        J.ClassDeclaration changed = super.visitClassDeclaration(declaration, context);
        if (enabling != null) {
            changed = Comments.add(
                    changed, lostAttributes(changed, enabling), Comments.lineStart(changed.getPrefix()), source());
        }
        ClassRule rule = found.rule(declaration);
        if (rule == null) {
            return changed;
        }
        String indent = indent(declaration);
        changed = changed.withLeadingAnnotations(
                translate(rule, changed.getLeadingAnnotations(), changed.getPrefix(), indent));
        return changed.withBody(changed.getBody()
                .withStatements(ListUtils.map(
                        changed.getBody().getStatements(),
                        statement -> statement instanceof J.MethodDeclaration method
                                ? rule.change(method.withLeadingAnnotations(
                                        translate(rule, method.getLeadingAnnotations(), method.getPrefix(), indent)))
                                : statement)));
    }

    private SourceFile source() {
        return getCursor().firstEnclosingOrThrow(SourceFile.class);
    }

    /** The attributes of the enabling annotation, which properties replace. */
    private List<String> lostAttributes(J.ClassDeclaration declaration, String enabling) {
        J.Annotation annotation = ClassRule.find(declaration.getLeadingAnnotations(), enabling);
        if (annotation == null || annotation.getArguments() == null) {
            return List.of();
        }
        return annotation.getArguments().stream()
                .filter(J.Assignment.class::isInstance)
                .map(argument -> argument.printTrimmed(getCursor()))
                .map(argument -> "@" + annotation.getSimpleName() + " had " + argument + "; the property "
                        + (argument.startsWith("order") ? "retryon.order" : "spring.aop.proxy-target-class")
                        + " replaces it")
                .toList();
    }

    /** One step of indentation, as the first member of the class shows it. */
    private static String indent(J.ClassDeclaration declaration) {
        String outer = Comments.lineStart(declaration.getPrefix());
        return declaration.getBody().getStatements().stream()
                .findFirst()
                .map(statement -> Comments.lineStart(statement.getPrefix()))
                .filter(inner -> inner.length() > outer.length() && inner.startsWith(outer))
                .map(inner -> inner.substring(outer.length()))
                .orElse(INDENT);
    }

    private List<J.Annotation> translate(ClassRule rule, List<J.Annotation> annotations, Space prefix, String indent) {
        String lineStart = Comments.lineStart(prefix);
        return ListUtils.map(annotations, (index, annotation) -> {
            Translation translation = rule.translate(annotation);
            if (translation == null) {
                return annotation;
            }
            J.Annotation translated = annotation;
            if (!translation.isLeft()) {
                translation.types().forEach(this::maybeAddImport);
                oldTypes.forEach(this::maybeRemoveImport);
                translated = translation.replace(annotation, lineStart, indent);
            }
            Space before = index == 0 ? prefix : annotation.getPrefix();
            return Comments.add(translated, before, translation.comments(), lineStart, source());
        });
    }
}
