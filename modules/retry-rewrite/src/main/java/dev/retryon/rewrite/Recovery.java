// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.search.FindMethods;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.Flag;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.JavaType.FullyQualified;
import org.openrewrite.java.tree.TypeUtils;

/**
 * The {@code @Recover} methods of a class that serve an annotation of spring-retry. RetryOn finds a method by its name and
 * passes the error behind the arguments.
 */
record Recovery(Site site, AnnotationAttributes attributes, Translation translation, List<J.MethodDeclaration> all) {

    private static final JavaType THROWABLE = JavaType.ShallowClass.build("java.lang.Throwable");

    private static final String CONTEXT = "org.springframework.retry.support.RetrySynchronizationManager *(..)";

    static void translate(Site site) {
        List<J.MethodDeclaration> all = Library.methods(site.declaration())
                .filter(method -> isRecover(method.getMethodType()))
                .toList();
        new Recovery(site, site.attributes(), site.translation(), all).translate();
    }

    private void translate() {
        FullyQualified declaring = site.declaration().getType();
        site.classes().stream()
                .flatMap(type -> Stream.concat(Stream.of(type), Hierarchy.above(type).stream()))
                .filter(type -> declaring != null && !Hierarchy.isSame(type, declaring))
                .filter(type -> type.getMethods().stream().anyMatch(Recovery::isRecover))
                .findFirst()
                .ifPresent(type -> translation.leave("the @Recover methods of " + type.getClassName()
                        + " also apply here; name one of them in 'recover', and move its error parameter"));
        Set<List<J.MethodDeclaration>> different = new LinkedHashSet<>();
        site.retried().forEach(method -> different.add(serving(method)));
        if (different.size() > 1) {
            translation.leave("the @Recover methods differ from method to method; annotate the methods instead");
        } else if (declaring != null
                && !different.isEmpty()
                && !different.iterator().next().isEmpty()) {
            change(declaring);
            name(different.iterator().next());
        }
    }

    private List<J.MethodDeclaration> serving(J.MethodDeclaration retried) {
        String name = attributes.text("recover");
        JavaType.Method type = retried.getMethodType();
        if (!all.isEmpty()
                && (hasUnknownTypes(type) || all.stream().anyMatch(next -> hasUnknownTypes(next.getMethodType())))) {
            translation.leave("its types, or the types of @Recover methods, cannot be resolved");
        }
        return all.stream()
                .filter(candidate -> name.isEmpty() || candidate.getSimpleName().equals(name))
                .filter(candidate -> fits(candidate, type))
                .toList();
    }

    private static boolean hasUnknownTypes(JavaType.@Nullable Method type) {
        return type == null
                || type.getReturnType() instanceof JavaType.Unknown
                || type.getParameterTypes().stream().anyMatch(JavaType.Unknown.class::isInstance);
    }

    /** Returns whether a method serves another by spring-retry's rules. If RetryOn's rules differ, the annotation is left. */
    private boolean fits(J.MethodDeclaration candidate, JavaType.@Nullable Method method) {
        JavaType.Method recovery = candidate.getMethodType();
        if (recovery == null || method == null) {
            return false;
        }
        JavaType own = recovery.getReturnType();
        JavaType returned = method.getReturnType();
        boolean isSame = own.toString().equals(returned.toString());
        boolean isOther = own instanceof JavaType.Parameterized && returned instanceof JavaType.Parameterized;
        if (!isSame && (isOther || !TypeUtils.isAssignableTo(own, returned))) {
            return false;
        }
        List<JavaType> parameters = recovery.getParameterTypes();
        List<JavaType> taken = errorType(recovery) != null ? parameters.subList(1, parameters.size()) : parameters;
        List<JavaType> arguments = method.getParameterTypes();
        boolean takesSubtype = false;
        for (int i = 0; i < Math.min(taken.size(), arguments.size()); i++) {
            if (!TypeUtils.isAssignableTo(taken.get(i), arguments.get(i))) {
                // spring-retry compares with the values of the call.
                takesSubtype = true;
                if (!TypeUtils.isAssignableTo(arguments.get(i), taken.get(i))) {
                    return false;
                }
            }
        }
        String name = "@Recover method " + candidate.getSimpleName() + " ";
        if (!taken.isEmpty() && taken.size() != arguments.size()) {
            translation.leave(name + "takes " + (taken.size() < arguments.size() ? "some of" : "more than")
                    + " the arguments; RetryOn passes all of them or none");
        } else if (takesSubtype) {
            translation.leave(name + "takes a subtype of an argument; RetryOn needs the type itself");
        } else if (!isSame) {
            translation.leave(name + "returns a supertype of the retried method's return type");
        } else if (errorType(recovery) != null && recovery.hasFlags(Flag.Varargs)) {
            translation.leave(name + "ends with a varargs parameter, after which no error parameter is possible");
        }
        return true;
    }

    /** Changes a recovery method only if no other code declares, overrides or uses it. */
    private void change(FullyQualified type) {
        all.stream()
                .filter(method -> method.getLeadingAnnotations().stream()
                        .noneMatch(annotation -> TypeUtils.isOfClassType(annotation.getType(), Library.RECOVER)))
                .findFirst()
                .ifPresent(method -> translation.leave("its recovery method " + method.getSimpleName()
                        + " has an annotation that is composed with @Recover; write @Recover itself"));
        for (FullyQualified relative : site.hierarchy().family(type)) {
            boolean isOther = !Hierarchy.isSame(relative, type);
            if (Hierarchy.uses(relative, "org.springframework.retry.annotation.CircuitBreaker")) {
                translation.leave("its @Recover methods might also apply to a @CircuitBreaker");
            }
            if (isOther && Hierarchy.uses(relative, Library.SPRING_RETRY.annotation())) {
                translation.leave("the @Recover methods of " + type.getClassName() + " also apply to "
                        + relative.getClassName() + ", where the error parameter is not moved");
            }
            all.stream()
                    .flatMap(method -> Stream.ofNullable(method.getMethodType()))
                    .filter(own -> isOther
                            && Hierarchy.related(relative, own).findAny().isPresent())
                    .findFirst()
                    .ifPresent(own -> translation.leave("the @Recover method " + own.getName() + " is also declared in "
                            + relative.getClassName()
                            + "; name it in 'recover', and move its error parameter in both classes"));
        }
        Stream.concat(
                        type.getAnnotations().stream(),
                        type.getMethods().stream().flatMap(method -> method.getAnnotations().stream()))
                .filter(annotation -> !TypeUtils.isOfClassType(annotation, Library.SPRING_RETRY.annotation()))
                .filter(annotation -> Hierarchy.has(List.of(annotation), Library.SPRING_RETRY.annotation()))
                .findFirst()
                .ifPresent(composed -> translation.leave(
                        "its @Recover methods also apply to an annotation that is composed with @Retryable"));
    }

    private void name(List<J.MethodDeclaration> serving) {
        String name = serving.get(0).getSimpleName();
        if (serving.stream().anyMatch(method -> !method.getSimpleName().equals(name))) {
            translation.leave(
                    "its @Recover methods have different names; give them one name, because RetryOn chooses among overloads");
        }
        if (serving.stream().anyMatch(Recovery::asksForContext)) {
            translation.leave("its @Recover method reads the context of spring-retry, which RetryOn does not set");
        }
        serving.stream()
                .flatMap(method -> Stream.ofNullable(method.getMethodType()))
                .forEach(site::recoverWith);
        Set<String> own = site.recoveries().collect(Collectors.toSet());
        site.recoverOnlyWith(name, method -> own.contains(Hierarchy.signature(method)));
        translation.text("recover", name);
        recoverOn(serving);
    }

    static boolean asksForContext(J.MethodDeclaration method) {
        return !FindMethods.find(method, CONTEXT).isEmpty();
    }

    /** Sets {@code recoverOn}, because spring-retry also calls the method for errors that it does not retry. */
    private void recoverOn(List<J.MethodDeclaration> serving) {
        if (attributes.types("notRecoverable") != null) {
            translation.leave("notRecoverable has no counterpart: RetryOn recovers every error that it retries");
        }
        List<JavaType> retried = AnnotationAttributes.typesOf(attributes.types("value", "retryFor", "include"));
        List<JavaType> excluded = AnnotationAttributes.typesOf(attributes.types("noRetryFor", "exclude"));
        List<Expression> others = new ArrayList<>();
        boolean takesAny = false;
        for (J.MethodDeclaration method : serving) {
            JavaType declared = errorType(method.getMethodType());
            JavaType error = declared == null ? THROWABLE : declared;
            boolean listed = retried.isEmpty()
                    ? !TypeUtils.isAssignableTo("java.lang.Error", error)
                    : retried.stream().anyMatch(type -> TypeUtils.isAssignableTo(type, error));
            boolean mayBeExcluded = excluded.stream()
                    .anyMatch(type -> TypeUtils.isAssignableTo(error, type) || TypeUtils.isAssignableTo(type, error));
            if (!listed || mayBeExcluded) {
                others.add(Translation.literalOf(errorTree(method)));
            }
            takesAny |= TypeUtils.isOfClassType(error, "java.lang.Throwable");
        }
        if (takesAny) {
            // In RetryOn, an Error needs an Error type.
            others.add(Translation.literalOf("Error"));
        }
        if (!others.isEmpty()) {
            translation.attribute("recoverOn", Translation.list(others));
        }
    }

    private static Expression errorTree(J.MethodDeclaration method) {
        return errorType(method.getMethodType()) != null
                        && method.getParameters().get(0) instanceof J.VariableDeclarations first
                        && first.getTypeExpression() instanceof Expression type
                ? type
                : Translation.typeOf("Throwable");
    }

    private static @Nullable JavaType errorType(JavaType.@Nullable Method method) {
        return method != null
                        && !method.getParameterTypes().isEmpty()
                        && TypeUtils.isAssignableTo(
                                THROWABLE, method.getParameterTypes().get(0))
                ? method.getParameterTypes().get(0)
                : null;
    }

    static boolean isRecover(JavaType.@Nullable Method method) {
        return method != null && Hierarchy.has(method.getAnnotations(), Library.RECOVER);
    }

    /** Moves the error behind the arguments, in parameters or in a call. The layout of each position remains. */
    static <T extends J> List<T> errorLast(JavaType.@Nullable Method method, List<T> trees) {
        return ListUtils.map(
                rotated(method, trees),
                (index, tree) -> tree.<T>withPrefix(trees.get(index).getPrefix()));
    }

    static JavaType.@Nullable Method errorLast(JavaType.@Nullable Method method) {
        return method == null
                ? null
                : method.withParameterTypes(rotated(method, method.getParameterTypes()))
                        .withParameterNames(rotated(method, method.getParameterNames()));
    }

    private static <T> List<T> rotated(JavaType.@Nullable Method method, List<T> parameters) {
        List<T> rotated = new ArrayList<>(parameters);
        if (errorType(method) != null) {
            Collections.rotate(rotated, -1);
        }
        return rotated;
    }
}
