// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.JavaType.FullyQualified;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.TypeTree;
import org.openrewrite.java.tree.TypeUtils;

/** The {@code @Recover} methods of one class, and which retried method each of them serves. */
final class RecoverMethods {

    static final String CONTEXT = SpringRetryClass.PACKAGE + "support.RetrySynchronizationManager";

    private static final JavaType THROWABLE = JavaType.ShallowClass.build("java.lang.Throwable");

    private final J.ClassDeclaration declaration;

    private final List<J.MethodDeclaration> all;

    /** Why the methods of this class cannot change; {@code null} if they can. */
    private final @Nullable String obstacle;

    /** The recovery methods of each annotation, in the order of the class. */
    private final Map<Translation, List<J.MethodDeclaration>> uses = new LinkedHashMap<>();

    RecoverMethods(J.ClassDeclaration declaration, List<J.MethodDeclaration> methods, Hierarchy hierarchy) {
        this.declaration = declaration;
        this.all = methods.stream()
                .filter(method -> ClassRule.find(method.getLeadingAnnotations(), SpringRetryClass.RECOVER) != null)
                .toList();
        this.obstacle = all.isEmpty() ? null : obstacle(declaration.getType(), hierarchy);
    }

    /** A recovery method changes only if nothing else declares, overrides or uses it. */
    private @Nullable String obstacle(@Nullable FullyQualified type, Hierarchy hierarchy) {
        if (type == null || all.stream().anyMatch(RecoverMethods::hasUnknownTypes)) {
            return "the types of its @Recover methods cannot be resolved";
        }
        for (FullyQualified relative : hierarchy.family(type)) {
            boolean isOther = !Hierarchy.isSame(relative, type);
            if (Hierarchy.uses(relative, SpringRetryClass.CIRCUIT_BREAKER)) {
                return "its @Recover methods may also serve a @CircuitBreaker";
            }
            if (isOther && Hierarchy.uses(relative, SpringRetryClass.RETRYABLE)) {
                return "the @Recover methods of " + type.getClassName() + " also serve " + relative.getClassName()
                        + ", where an error parameter is not moved";
            }
            for (J.MethodDeclaration method : all) {
                JavaType.Method own = method.getMethodType();
                if (isOther
                        && own != null
                        && Hierarchy.related(relative, own).findAny().isPresent()) {
                    return "its @Recover method " + own.getName() + " is declared in " + relative.getClassName()
                            + " too; name it in recover and move its error parameter in both";
                }
            }
        }
        boolean composed = Stream.concat(
                        type.getAnnotations().stream(),
                        type.getMethods().stream().flatMap(method -> method.getAnnotations().stream()))
                .anyMatch(annotation -> !TypeUtils.isOfClassType(annotation, SpringRetryClass.RETRYABLE)
                        && Hierarchy.has(List.of(annotation), SpringRetryClass.RETRYABLE));
        return composed ? "its @Recover methods also serve an annotation that is composed with @Retryable" : null;
    }

    private static boolean hasUnknownTypes(J.MethodDeclaration method) {
        JavaType.Method type = method.getMethodType();
        return type == null
                || type.getReturnType() instanceof JavaType.Unknown
                || type.getParameterTypes().stream().anyMatch(JavaType.Unknown.class::isInstance);
    }

    private static boolean isRecover(JavaType.Method method) {
        return method.getAnnotations().stream()
                .anyMatch(annotation -> TypeUtils.isOfClassType(annotation, SpringRetryClass.RECOVER));
    }

    /** Moves the error behind the arguments, in parameters or in a call. Their places keep their layout. */
    static <T extends J> List<T> errorLast(List<T> trees) {
        return ListUtils.map(
                rotated(trees),
                (index, tree) -> tree.<T>withPrefix(trees.get(index).getPrefix()));
    }

    static JavaType.@Nullable Method errorLast(JavaType.@Nullable Method type) {
        return type == null
                ? null
                : type.withParameterTypes(rotated(type.getParameterTypes()))
                        .withParameterNames(rotated(type.getParameterNames()));
    }

    private static <T> List<T> rotated(List<T> parameters) {
        List<T> rotated = new ArrayList<>(parameters);
        Collections.rotate(rotated, -1);
        return rotated;
    }

    /** Finds the methods that recover the methods of one annotation, and names them in its translation. */
    void use(List<J.MethodDeclaration> retried, Reach reach, AnnotationAttributes attributes, Translation translation) {
        reach.classes().stream()
                .flatMap(type -> Stream.concat(Stream.of(type), Hierarchy.above(type).stream()))
                .filter(type -> declaration.getType() == null || !Hierarchy.isSame(type, declaration.getType()))
                .filter(type -> type.getMethods().stream().anyMatch(RecoverMethods::isRecover))
                .findFirst()
                .ifPresent(type -> translation.leave("the @Recover methods of " + type.getClassName()
                        + " serve it too; name one in recover and move its error parameter"));
        Set<List<J.MethodDeclaration>> different = new LinkedHashSet<>();
        retried.forEach(method -> different.add(serving(method, attributes, translation)));
        if (different.size() > 1) {
            translation.leave("the @Recover methods differ from method to method; annotate the methods instead");
        } else if (!different.isEmpty() && !different.iterator().next().isEmpty()) {
            if (obstacle != null) {
                translation.leave(obstacle);
            }
            name(different.iterator().next(), attributes, translation);
        }
    }

    private List<J.MethodDeclaration> serving(
            J.MethodDeclaration retried, AnnotationAttributes attributes, Translation translation) {
        String name = attributes.text("recover");
        if (name == null) {
            translation.leave("recover is not a constant");
            return List.of();
        }
        if (!all.isEmpty() && hasUnknownTypes(retried)) {
            translation.leave("its types cannot be resolved, so its @Recover method is not known");
        }
        List<J.MethodDeclaration> serving = new ArrayList<>();
        for (J.MethodDeclaration candidate : all) {
            if (!name.isEmpty() && !candidate.getSimpleName().equals(name)) {
                continue;
            }
            if (hasUnknownTypes(candidate)) {
                translation.leave("the types of @Recover method " + candidate.getSimpleName() + " cannot be resolved");
            }
            RecoverFit fit = RecoverFit.of(candidate, retried);
            if (fit == RecoverFit.FITS) {
                serving.add(candidate);
            } else if (fit.obstacle() != null) {
                translation.leave("@Recover method " + candidate.getSimpleName() + " " + fit.obstacle());
            }
        }
        return serving;
    }

    private void name(List<J.MethodDeclaration> serving, AnnotationAttributes attributes, Translation translation) {
        String name = serving.get(0).getSimpleName();
        if (serving.stream().anyMatch(method -> !method.getSimpleName().equals(name))) {
            translation.leave(
                    "its @Recover methods have different names; rename them, because RetryOn chooses among overloads");
        }
        if (serving.stream().anyMatch(RecoverMethods::asksForContext)) {
            translation.leave("its @Recover method asks for the context of spring-retry, which RetryOn does not set");
        }
        uses.put(translation, serving);
        translation.text("recover", name);
        recoverOn(serving, attributes, translation);
    }

    /** Whether code asks spring-retry for the context of the call. */
    static boolean asksForContext(J.MethodDeclaration method) {
        AtomicBoolean found = new AtomicBoolean();
        new JavaIsoVisitor<AtomicBoolean>() {
            @Override
            public J.Identifier visitIdentifier(J.Identifier identifier, AtomicBoolean used) {
                if (TypeUtils.isOfClassType(identifier.getType(), CONTEXT)) {
                    used.set(true);
                }
                return identifier;
            }

            @Override
            public J.MethodInvocation visitMethodInvocation(J.MethodInvocation invocation, AtomicBoolean used) {
                JavaType.Method type = invocation.getMethodType();
                if (type != null && TypeUtils.isOfClassType(type.getDeclaringType(), CONTEXT)) {
                    used.set(true);
                }
                return super.visitMethodInvocation(invocation, used);
            }
        }.visit(method, found);
        return found.get();
    }

    private void recoverOn(
            List<J.MethodDeclaration> serving, AnnotationAttributes attributes, Translation translation) {
        if (attributes.types("notRecoverable") != null) {
            translation.leave("notRecoverable has no counterpart: RetryOn recovers every error that it retries");
        }
        List<JavaType> retried = AnnotationAttributes.typesOf(attributes.types("value", "retryFor", "include"));
        List<JavaType> excluded = AnnotationAttributes.typesOf(attributes.types("noRetryFor", "exclude"));
        List<Expression> others = new ArrayList<>();
        for (J.MethodDeclaration method : serving) {
            JavaType error = errorType(method);
            boolean listed = retried.isEmpty()
                    ? !TypeUtils.isAssignableTo("java.lang.Error", error)
                    : retried.stream().anyMatch(type -> TypeUtils.isAssignableTo(type, error));
            boolean mayBeExcluded = excluded.stream()
                    .anyMatch(type -> TypeUtils.isAssignableTo(error, type) || TypeUtils.isAssignableTo(type, error));
            if (!listed || mayBeExcluded) {
                others.add(Translation.literalOf(errorTree(method)));
            }
        }
        if (serving.stream().anyMatch(method -> TypeUtils.isOfClassType(errorType(method), "java.lang.Throwable"))) {
            // In RetryOn, an Error needs an Error type.
            others.add(Translation.literalOf("Error"));
        }
        if (!others.isEmpty()) {
            // spring-retry calls the method for errors that it does not retry, too.
            translation.attribute("recoverOn", Translation.list(others));
        }
    }

    /** The error type as the method writes it. */
    private static Expression errorTree(J.MethodDeclaration method) {
        return takesError(method)
                        && method.getParameters().get(0) instanceof J.VariableDeclarations first
                        && first.getTypeExpression() instanceof Expression type
                ? type
                : Translation.typeOf("Throwable");
    }

    /** Leaves annotations that share a recovery method with an annotation that is left, and returns them. */
    List<Translation> leaveShared() {
        Set<J.MethodDeclaration> kept = uses.entrySet().stream()
                .filter(use -> use.getKey().isLeft())
                .flatMap(use -> use.getValue().stream())
                .collect(Collectors.toSet());
        List<Translation> sharing = uses.entrySet().stream()
                .filter(use -> !use.getKey().isLeft() && use.getValue().stream().anyMatch(kept::contains))
                .map(Map.Entry::getKey)
                .toList();
        sharing.forEach(translation ->
                translation.leave("its @Recover method also recovers another @Retryable, which was not migrated"));
        return sharing;
    }

    /** The recovery methods of annotations that move. */
    Set<J.MethodDeclaration> moved() {
        return uses.entrySet().stream()
                .filter(use -> !use.getKey().isLeft())
                .flatMap(use -> use.getValue().stream())
                .collect(Collectors.toSet());
    }

    boolean leavesAnything() {
        return !moved().containsAll(all);
    }

    J.MethodDeclaration change(J.MethodDeclaration method) {
        J.Annotation recover = ClassRule.find(method.getLeadingAnnotations(), SpringRetryClass.RECOVER);
        if (recover == null || !moved().contains(method)) {
            return method;
        }
        J.MethodDeclaration changed = without(recover, method);
        if (!takesError(method)) {
            return changed;
        }
        JavaType.Method type = errorLast(method.getMethodType());
        return changed.withParameters(errorLast(method.getParameters()))
                .withMethodType(type)
                .withName(method.getName().withType(type));
    }

    private static J.MethodDeclaration without(J.Annotation recover, J.MethodDeclaration method) {
        List<J.Annotation> kept = new ArrayList<>(method.getLeadingAnnotations());
        int index = kept.indexOf(recover);
        kept.remove(index);
        if (index < kept.size()) {
            kept.set(index, kept.get(index).withPrefix(recover.getPrefix()));
        }
        J.MethodDeclaration without = method.withLeadingAnnotations(kept);
        TypeTree returned = method.getReturnTypeExpression();
        if (!kept.isEmpty()) {
            return without;
        }
        return method.getModifiers().isEmpty() && returned != null
                ? without.withReturnTypeExpression(returned.withPrefix(recover.getPrefix()))
                : without.withModifiers(Space.formatFirstPrefix(method.getModifiers(), recover.getPrefix()));
    }

    private static JavaType errorType(J.MethodDeclaration method) {
        return takesError(method) ? types(method).get(0) : THROWABLE;
    }

    static boolean takesError(J.MethodDeclaration method) {
        List<JavaType> types = types(method);
        return !types.isEmpty() && TypeUtils.isAssignableTo(THROWABLE, types.get(0));
    }

    private static List<JavaType> types(J.MethodDeclaration method) {
        return method.getMethodType() == null
                ? List.of()
                : method.getMethodType().getParameterTypes();
    }

    static String signature(JavaType.Method method) {
        return method.getDeclaringType().getFullyQualifiedName() + "#" + method.getName() + method.getParameterTypes();
    }

    /** The signature of a method with {@code @Recover}; {@code null} for other methods. */
    static @Nullable String signatureOfRecover(JavaType.@Nullable Method method) {
        return method != null && isRecover(method) ? signature(method) : null;
    }
}
