// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.SourceFile;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.AnnotationMatcher;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.RemoveAnnotationVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.TypeUtils;

/** Replaces a library's annotations with {@code @RetryOn}, and changes the code that belongs to them. */
final class AnnotationVisitor extends JavaIsoVisitor<ExecutionContext> {

    private static final String INDENT = "    ";

    private final Found found;

    private final Library library;

    /** The annotation that enables the library, which is removed; {@code null} if it remains. */
    private final @Nullable String enabling;

    /** Whether an annotation of the source has been replaced, or got a comment. */
    private boolean changes;

    AnnotationVisitor(Found found) {
        this.found = found;
        this.library = found.library();
        this.enabling = found.anythingStays() ? null : library.enabling();
    }

    @Override
    public J.CompilationUnit visitCompilationUnit(J.CompilationUnit unit, ExecutionContext context) {
        J.CompilationUnit changed = super.visitCompilationUnit(unit, context);
        if (enabling != null) {
            doAfterVisit(new RemoveAnnotationVisitor(new AnnotationMatcher("@" + enabling)));
            maybeRemoveImport(enabling);
        }
        if (changes || found.isRemoved()) {
            library.unused(unit).forEach(this::maybeRemoveImport);
        }
        Map<String, String> explanations = found.explanations(unit);
        doAfterVisit(new JavaIsoVisitor<>() {
            @Override
            public J.CompilationUnit visitCompilationUnit(J.CompilationUnit last, ExecutionContext context) {
                return (J.CompilationUnit) Comments.explain(last, explanations, unit);
            }
        });
        return changed;
    }

    @Override
    public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration declaration, ExecutionContext context) {
        J.ClassDeclaration changed = super.visitClassDeclaration(declaration, context);
        if (enabling != null) {
            changed = Comments.add(
                    changed, lostAttributes(changed, enabling), Comments.lineStart(changed.getPrefix()), source());
        }
        String indent = indent(declaration);
        return changed.withLeadingAnnotations(
                        translate(changed.getLeadingAnnotations(), declaration.getPrefix(), indent))
                .withBody(changed.getBody()
                        .withStatements(ListUtils.map(
                                changed.getBody().getStatements(),
                                statement -> statement instanceof J.MethodDeclaration method
                                        ? method.withLeadingAnnotations(
                                                translate(method.getLeadingAnnotations(), method.getPrefix(), indent))
                                        : statement)));
    }

    @Override
    public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration method, ExecutionContext context) {
        J.MethodDeclaration visited = super.visitMethodDeclaration(method, context);
        if (!found.isMovedRecovery(method.getMethodType())) {
            return visited;
        }
        maybeRemoveImport(Library.RECOVER);
        J.MethodDeclaration changed =
                (J.MethodDeclaration) new RemoveAnnotationVisitor(new AnnotationMatcher("@" + Library.RECOVER))
                        .visitNonNull(visited, context, getCursor().getParentOrThrow());
        JavaType.Method type = Recovery.errorLast(method.getMethodType());
        return changed.withPrefix(visited.getPrefix())
                .withParameters(Recovery.errorLast(method.getMethodType(), changed.getParameters()))
                .withMethodType(type)
                .withName(changed.getName().withType(type));
    }

    /** Adapts calls to a recovery method, for example from tests, to the change of the method. */
    @Override
    public J.MethodInvocation visitMethodInvocation(J.MethodInvocation invocation, ExecutionContext context) {
        J.MethodInvocation visited = super.visitMethodInvocation(invocation, context);
        if (!found.isMovedRecovery(visited.getMethodType())) {
            return visited;
        }
        JavaType.Method type = Recovery.errorLast(visited.getMethodType());
        return visited.withArguments(Recovery.errorLast(visited.getMethodType(), visited.getArguments()))
                .withMethodType(type)
                .withName(visited.getName().withType(type));
    }

    private SourceFile source() {
        return getCursor().firstEnclosingOrThrow(SourceFile.class);
    }

    /** Returns the attributes of the enabling annotation, which properties replace. */
    private List<String> lostAttributes(J.ClassDeclaration declaration, String enabling) {
        return declaration.getLeadingAnnotations().stream()
                .filter(annotation -> TypeUtils.isOfClassType(annotation.getType(), enabling))
                .flatMap(annotation -> Stream.ofNullable(annotation.getArguments()))
                .flatMap(List::stream)
                .filter(J.Assignment.class::isInstance)
                .map(argument -> argument.printTrimmed(getCursor()))
                .map(argument -> "@" + enabling.substring(enabling.lastIndexOf('.') + 1) + " had " + argument
                        + "; the property "
                        + (argument.startsWith("order") ? "retryon.order" : "spring.aop.proxy-target-class")
                        + " replaces it")
                .toList();
    }

    /** Returns one step of indentation, as in the first member of the class. */
    private static String indent(J.ClassDeclaration declaration) {
        String outer = Comments.lineStart(declaration.getPrefix());
        return declaration.getBody().getStatements().stream()
                .findFirst()
                .map(statement -> Comments.lineStart(statement.getPrefix()))
                .filter(inner -> inner.length() > outer.length() && inner.startsWith(outer))
                .map(inner -> inner.substring(outer.length()))
                .orElse(INDENT);
    }

    private List<J.Annotation> translate(List<J.Annotation> annotations, Space prefix, String indent) {
        String lineStart = Comments.lineStart(prefix);
        return ListUtils.map(annotations, (index, annotation) -> {
            Site site = found.site(annotation);
            if (site == null) {
                return annotation;
            }
            changes = true;
            Translation translation = site.translation();
            J.Annotation translated = annotation;
            if (!translation.isLeft()) {
                translation.types().forEach(this::maybeAddImport);
                library.replaced().forEach(this::maybeRemoveImport);
                translated = translation.replace(annotation, lineStart, indent);
            }
            Space before = index == 0 ? prefix : annotation.getPrefix();
            return Comments.add(translated, before, translation.comments(), lineStart, source());
        });
    }
}
