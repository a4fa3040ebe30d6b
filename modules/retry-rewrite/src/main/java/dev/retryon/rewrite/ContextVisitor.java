// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.openrewrite.ExecutionContext;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.JavaParser;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaCoordinates;

/** Replaces spring-retry's context by that of RetryOn in methods that move. */
final class ContextVisitor extends JavaVisitor<ExecutionContext> {

    private static final String CONTEXT = "dev.retryon.RetryContext";

    private static final String SOURCE = """
            package dev.retryon;

            public interface RetryContext {
                static RetryContext current() {
                    return null;
                }

                int attempt();

                Throwable lastError();
            }
            """;

    private final Set<UUID> methods;

    ContextVisitor(Set<UUID> methods) {
        this.methods = methods;
    }

    /** Whether a source asks for the context of spring-retry in other methods too. */
    boolean leavesAnythingOf(J.CompilationUnit unit) {
        AtomicInteger translated = new AtomicInteger();
        new JavaIsoVisitor<AtomicInteger>() {
            @Override
            public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration method, AtomicInteger count) {
                if (methods.contains(method.getId())) {
                    count.addAndGet(ContextUses.Mentions.in(method).translatable);
                    return method;
                }
                return super.visitMethodDeclaration(method, count);
            }
        }.visit(unit, translated);
        return ContextUses.Mentions.in(unit).all > translated.get();
    }

    @Override
    public J visitMethodDeclaration(J.MethodDeclaration method, ExecutionContext context) {
        return methods.contains(method.getId()) ? super.visitMethodDeclaration(method, context) : method;
    }

    @Override
    public J visitBinary(J.Binary binary, ExecutionContext context) {
        // The number of the attempt.
        boolean isAttempt = binary.getOperator() == J.Binary.Type.Addition
                && binary.getLeft() instanceof J.MethodInvocation count
                && count.getSimpleName().equals("getRetryCount")
                && ContextUses.translation(count) != null
                && binary.getRight() instanceof J.Literal one
                && Integer.valueOf(1).equals(one.getValue());
        return isAttempt
                ? replace(binary, binary.getCoordinates().replace(), "RetryContext.current().attempt()")
                : super.visitBinary(binary, context);
    }

    @Override
    public J visitMethodInvocation(J.MethodInvocation invocation, ExecutionContext context) {
        String translation = ContextUses.translation(invocation);
        if (translation == null) {
            return super.visitMethodInvocation(invocation, context);
        }
        Object parent = getCursor().getParentTreeCursor().getValue();
        boolean isOperand = parent instanceof J.Binary || parent instanceof J.Unary || parent instanceof J.TypeCast;
        return replace(
                invocation,
                invocation.getCoordinates().replace(),
                isOperand && translation.contains(" - ") ? "(" + translation + ")" : translation);
    }

    private J replace(J tree, JavaCoordinates place, String code) {
        maybeAddImport(CONTEXT);
        maybeRemoveImport(ContextUses.MANAGER);
        J replacement = JavaTemplate.builder(code)
                .imports(CONTEXT)
                .javaParser(JavaParser.fromJavaVersion().dependsOn(SOURCE))
                .build()
                .apply(getCursor(), place);
        return replacement.withPrefix(tree.getPrefix());
    }
}
