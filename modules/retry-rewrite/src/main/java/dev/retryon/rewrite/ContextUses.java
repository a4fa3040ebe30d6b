// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/**
 * Which methods ask spring-retry for the context of the call, in their own code or in methods that they call. RetryOn sets
 * no such context, so {@code RetrySynchronizationManager.getContext()} returns {@code null} in a method that it retries.
 */
final class ContextUses {

    static final String MANAGER = SpringRetryClass.PACKAGE + "support.RetrySynchronizationManager";

    private static final String CONTEXT = SpringRetryClass.PACKAGE + "RetryContext";

    /** The methods that each method calls, by class and name. */
    private final Map<String, Set<String>> calls = new HashMap<>();

    private final Set<String> asking = new HashSet<>();

    /** Records a method. A retried one has a context of its own, so that its callers do not lend it theirs. */
    void add(J.MethodDeclaration method, boolean retried) {
        JavaType.Method type = method.getMethodType();
        if (type == null || retried) {
            return;
        }
        String key = key(type);
        calls.computeIfAbsent(key, unused -> new HashSet<>()).addAll(calledBy(method));
        if (Mentions.in(method).all > 0) {
            asking.add(key);
        }
        addOverridden(type.getDeclaringType(), type.getName(), key);
    }

    private void addOverridden(JavaType.FullyQualified type, String name, String key) {
        for (JavaType.FullyQualified above : type.getInterfaces()) {
            addCall(above, name, key);
        }
        if (type.getSupertype() != null) {
            addCall(type.getSupertype(), name, key);
        }
    }

    private void addCall(JavaType.FullyQualified type, String name, String key) {
        if (!type.getFullyQualifiedName().startsWith("java.")) {
            calls.computeIfAbsent(type.getFullyQualifiedName() + "#" + name, unused -> new HashSet<>())
                    .add(key);
            addOverridden(type, name, key);
        }
    }

    /** Whether a retried method needs spring-retry's context for more than {@link ContextVisitor} translates. */
    boolean areNeededBy(J.MethodDeclaration method) {
        Mentions mentions = Mentions.in(method);
        return mentions.all > mentions.translatable || reach(method);
    }

    /** Whether a recovery method asks for the context, which RetryOn has no counterpart of there. */
    boolean areIn(J.MethodDeclaration method) {
        return Mentions.in(method).all > 0 || reach(method);
    }

    private boolean reach(J.MethodDeclaration method) {
        Deque<String> open = new ArrayDeque<>(calledBy(method));
        Set<String> seen = new HashSet<>(open);
        while (!open.isEmpty()) {
            String next = open.pop();
            if (asking.contains(next)) {
                return true;
            }
            calls.getOrDefault(next, Set.of()).stream().filter(seen::add).forEach(open::push);
        }
        return false;
    }

    private static Set<String> calledBy(J.MethodDeclaration method) {
        Set<String> called = new HashSet<>();
        new JavaIsoVisitor<Set<String>>() {
            @Override
            public J.MethodInvocation visitMethodInvocation(J.MethodInvocation invocation, Set<String> found) {
                if (invocation.getMethodType() != null) {
                    found.add(key(invocation.getMethodType()));
                }
                return super.visitMethodInvocation(invocation, found);
            }
        }.visit(method, called);
        return called;
    }

    private static String key(JavaType.Method method) {
        return method.getDeclaringType().getFullyQualifiedName() + "#" + method.getName();
    }

    /** The code that replaces a call of the context; {@code null} for other calls. */
    static @Nullable String translation(J.MethodInvocation invocation) {
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
    static final class Mentions extends JavaIsoVisitor<Integer> {

        int all;

        int translatable;

        private Mentions() {}

        static Mentions in(J tree) {
            Mentions mentions = new Mentions();
            mentions.visit(tree, 0);
            return mentions;
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
            all += TypeUtils.isOfClassType(variables.getType(), CONTEXT) ? 1 : 0;
            return super.visitVariableDeclarations(variables, unused);
        }
    }
}
