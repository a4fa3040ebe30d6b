// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.JavaParser;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaCoordinates;
import org.openrewrite.java.tree.TypeUtils;

/**
 * Replaces spring-retry's context by that of RetryOn in methods that move. In other methods, that a retried one calls, a
 * comment on the import has to do: {@code RetrySynchronizationManager.getContext()} returns {@code null} in a method with
 * {@code @RetryOn}.
 */
final class RetryContexts extends JavaVisitor<ExecutionContext> {

    static final String MANAGER = SpringRetryClass.PACKAGE + "support.RetrySynchronizationManager";

    private static final String THEIRS = SpringRetryClass.PACKAGE + "RetryContext";

    private static final String OURS = "dev.retryon.RetryContext";

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

    RetryContexts(Set<UUID> methods) {
        this.methods = methods;
    }

    /** Whether a retried method needs more of spring-retry's context than can be translated. */
    static boolean cannotMove(J.MethodDeclaration method) {
        Uses uses = Uses.in(method, Set.of());
        return uses.all > uses.translatable;
    }

    /** Whether code asks for the context. */
    static boolean isUsedIn(J.MethodDeclaration method) {
        return Uses.in(method, Set.of()).all > 0;
    }

    /** Whether a source asks for the context of spring-retry in methods that do not move. */
    boolean leavesAnythingOf(J.CompilationUnit unit) {
        return Uses.in(unit, methods).all > 0;
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
                && translation(count) != null
                && binary.getRight() instanceof J.Literal one
                && Integer.valueOf(1).equals(one.getValue());
        return isAttempt
                ? replace(binary, binary.getCoordinates().replace(), "RetryContext.current().attempt()")
                : super.visitBinary(binary, context);
    }

    @Override
    public J visitMethodInvocation(J.MethodInvocation invocation, ExecutionContext context) {
        String translation = translation(invocation);
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
        maybeAddImport(OURS);
        maybeRemoveImport(MANAGER);
        J replacement = JavaTemplate.builder(code)
                .imports(OURS)
                .javaParser(JavaParser.fromJavaVersion().dependsOn(SOURCE))
                .build()
                .apply(getCursor(), place);
        return replacement.withPrefix(tree.getPrefix());
    }

    /** The code that replaces a call of the context; {@code null} for other calls. */
    private static @Nullable String translation(J.MethodInvocation invocation) {
        if (!(invocation.getSelect() instanceof J.MethodInvocation context)
                || !isManager(context)
                || !context.getSimpleName().equals("getContext")) {
            return null;
        }
        return switch (invocation.getSimpleName()) {
            case "getRetryCount" -> "RetryContext.current().attempt() - 1";
            case "getLastThrowable" -> "RetryContext.current().lastError()";
            default -> null;
        };
    }

    private static boolean isManager(J.MethodInvocation invocation) {
        return invocation.getMethodType() != null
                && TypeUtils.isOfClassType(invocation.getMethodType().getDeclaringType(), MANAGER);
    }

    /** Counts how often code asks for the context, and how often of these it can be translated. */
    private static final class Uses extends JavaIsoVisitor<Integer> {

        private final Set<UUID> except;

        private int all;

        private int translatable;

        private Uses(Set<UUID> except) {
            this.except = except;
        }

        static Uses in(J tree, Set<UUID> except) {
            Uses uses = new Uses(except);
            uses.visit(tree, 0);
            return uses;
        }

        @Override
        public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration method, Integer unused) {
            return except.contains(method.getId()) ? method : super.visitMethodDeclaration(method, unused);
        }

        @Override
        public J.MethodInvocation visitMethodInvocation(J.MethodInvocation invocation, Integer unused) {
            all += isManager(invocation) ? 1 : 0;
            translatable += translation(invocation) == null ? 0 : 1;
            return super.visitMethodInvocation(invocation, unused);
        }

        @Override
        public J.MemberReference visitMemberReference(J.MemberReference reference, Integer unused) {
            all += TypeUtils.isOfClassType(reference.getContaining().getType(), MANAGER) ? 1 : 0;
            return super.visitMemberReference(reference, unused);
        }

        @Override
        public J.VariableDeclarations visitVariableDeclarations(J.VariableDeclarations variables, Integer unused) {
            // Its name would be ambiguous beside that of RetryOn.
            all += TypeUtils.isOfClassType(variables.getType(), THEIRS) ? 1 : 0;
            return super.visitVariableDeclarations(variables, unused);
        }
    }
}
