// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openrewrite.SourceFile;
import org.openrewrite.java.tree.Flag;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.JavaType.FullyQualified;
import org.openrewrite.java.tree.TypeUtils;

/**
 * One annotation of a library: the classes and methods that it reaches, as far as the sources show, and its translation. The
 * annotation is migrated only if every check finds that RetryOn behaves in the same way. The first failed check leaves it.
 *
 * @param method the method with the annotation; {@code null} if it is on a class
 * @param classes the classes whose methods are retried
 * @param methods the methods that the annotation reaches or uses, and the reason to leave another annotation for the same
 *     method if this one remains
 */
record Site(
        J.Annotation annotation,
        J.ClassDeclaration declaration,
        J.@Nullable MethodDeclaration method,
        SourceFile source,
        Library library,
        Hierarchy hierarchy,
        Translation translation,
        List<FullyQualified> classes,
        Map<String, String> methods) {

    private static final String NOT_BOTH =
            "another annotation on the same methods was not migrated, and a method must not have both";

    private static final String SHARED = "its @Recover method also recovers another @Retryable, which was not migrated";

    Site(
            J.Annotation annotation,
            J.ClassDeclaration declaration,
            J.@Nullable MethodDeclaration method,
            SourceFile source,
            Library library,
            Hierarchy hierarchy) {
        this(
                annotation,
                declaration,
                method,
                source,
                library,
                hierarchy,
                new Translation(),
                new ArrayList<>(),
                new LinkedHashMap<>());
    }

    AnnotationAttributes attributes() {
        FullyQualified type = declaration.getType();
        JavaType.Method methodType = method == null ? null : method.getMethodType();
        return AnnotationAttributes.of(
                annotation,
                methodType != null ? methodType.getAnnotations() : type != null ? type.getAnnotations() : List.of(),
                translation);
    }

    boolean isLeft() {
        return translation.isLeft();
    }

    /** Returns the retried methods that are written in the annotation's class. */
    List<J.MethodDeclaration> retried() {
        return method != null
                ? List.of(method)
                : Library.methods(declaration)
                        .filter(covered -> covered.getMethodType() != null
                                && !covered.isConstructor()
                                && !library.decides(covered.getMethodType()))
                        .toList();
    }

    Stream<FullyQualified> annotations(String packageName) {
        return Stream.concat(
                        Stream.ofNullable(declaration.getType()).map(FullyQualified::getAnnotations),
                        retried().stream()
                                .flatMap(retried -> Stream.ofNullable(retried.getMethodType()))
                                .map(JavaType.Method::getAnnotations))
                .flatMap(List::stream)
                .filter(type -> type.getFullyQualifiedName().startsWith(packageName));
    }

    /** Follows the annotation, and leaves it if RetryOn would retry other methods. */
    void follow() {
        FullyQualified type = declaration.getType();
        JavaType.Method methodType = method == null ? null : method.getMethodType();
        if (type == null || (method != null && methodType == null)) {
            translation.leave("its types cannot be resolved");
        } else if (declaration.getKind() == J.ClassDeclaration.Kind.Type.Annotation) {
            addComposed(type);
        } else if (methodType == null) {
            addClass(type);
        } else {
            addMethod(type, methodType);
        }
    }

    /** Adds an annotation that is composed by the application and has an effect wherever it is used. */
    private void addComposed(FullyQualified composed) {
        if (!library.composable()) {
            translation.leave("it has no effect on an annotation type, but @RetryOn would take effect there");
        }
        if (!composed.getMethods().isEmpty()) {
            translation.leave("its attributes are passed on to @Retryable by @AliasFor");
        }
        String name = composed.getFullyQualifiedName();
        hierarchy.all().forEach(type -> {
            if (Hierarchy.has(type.getAnnotations(), name)) {
                addClass(type);
            }
            type.getMethods().stream()
                    .filter(annotated -> Hierarchy.has(annotated.getAnnotations(), name))
                    .forEach(annotated -> addMethod(type, annotated));
        });
    }

    private void addClass(FullyQualified type) {
        add(type);
        Hierarchy.methods(type).forEach(covered -> cover(covered, false));
        hierarchy.below(type).stream().flatMap(Hierarchy::methods).forEach(covered -> cover(covered, true));
        for (FullyQualified above : Hierarchy.above(type)) {
            if (Hierarchy.has(above.getAnnotations(), library.annotation())) {
                standAlone(above);
                Hierarchy.methods(above).forEach(this::touch);
            } else if (!library.coversInherited()) {
                Hierarchy.methods(above)
                        .filter(inherited -> isCoveredByRetryOnOnly(inherited, type))
                        .findFirst()
                        .ifPresent(
                                inherited -> translation.leave("on a class, @RetryOn also covers the inherited method "
                                        + inherited.getName() + "; annotate only the methods to retry"));
            }
        }
    }

    private boolean isCoveredByRetryOnOnly(JavaType.Method inherited, FullyQualified type) {
        return inherited.hasFlags(Flag.Public)
                && (!inherited.hasFlags(Flag.Abstract) || type.getKind() == FullyQualified.Kind.Interface)
                && Hierarchy.related(type, inherited).findAny().isEmpty()
                && !library.decides(inherited);
    }

    /** Records a method that an annotation of its class covers, unless the method has its own annotation. */
    private void cover(JavaType.Method covered, boolean inherits) {
        touch(covered);
        if (library.decides(covered)) {
            return;
        }
        if (!covered.hasFlags(Flag.Public)) {
            translation.leave(
                    "it covers the method " + covered.getName()
                            + ", which is not public; on a class, @RetryOn covers public methods only, so annotate the methods");
        }
        if (inherits) {
            inherit(covered);
        }
        check(covered);
    }

    private void addMethod(FullyQualified type, JavaType.Method annotated) {
        Stream.of(Flag.Private, Flag.Static, Flag.Final)
                .filter(annotated::hasFlags)
                .map(flag -> flag.name().toLowerCase(Locale.ROOT))
                .forEach(modifier -> translation.leave("the method " + annotated.getName() + " is " + modifier
                        + ", so no proxy can retry it; remove the annotation, or change the method"));
        add(type);
        touch(annotated);
        check(annotated);
        for (FullyQualified relative : hierarchy.family(type)) {
            boolean isOther = !Hierarchy.isSame(relative, type);
            if (Hierarchy.has(relative.getAnnotations(), library.annotation())
                    || (isOther && Hierarchy.related(relative, annotated).anyMatch(library::decides))) {
                standAlone(relative);
            }
        }
        hierarchy.below(type).stream()
                .flatMap(below -> Hierarchy.related(below, annotated))
                .forEach(overriding -> {
                    touch(overriding);
                    if (!library.decides(overriding)) {
                        inherit(overriding);
                    }
                });
    }

    /** Makes the annotation stand alone, because in all three libraries only the nearest annotation counts. */
    private void standAlone(FullyQualified other) {
        translation.inheritNothing();
        if (!hierarchy.contains(other)) {
            translation.leave("an annotation of " + other.getClassName()
                    + " is not in these sources, and a method must not have both");
        }
    }

    private void inherit(JavaType.Method inheriting) {
        if (!library.inheritable()) {
            translation.leave("the method " + inheriting.getName() + " of "
                    + inheriting.getDeclaringType().getClassName()
                    + " would inherit @RetryOn, but Resilience4j does not retry that method");
        }
    }

    private void add(FullyQualified type) {
        classes.add(type);
        classes.addAll(hierarchy.below(type));
        for (FullyQualified reached : classes) {
            if (!hierarchy.isResolved(reached)) {
                translation.leave("a supertype of " + reached.getClassName() + " cannot be resolved");
            }
        }
    }

    private void check(JavaType.Method retried) {
        if (library.ignoresLaterFailures().test(retried.getReturnType())) {
            translation.leave("the method " + retried.getName()
                    + " returns a result that can fail later; so far, only errors that the method throws were"
                    + " retried, on the caller's thread; @RetryOn also retries later failures");
        }
    }

    private void touch(JavaType.Method reached) {
        methods.put(Hierarchy.signature(reached), NOT_BOTH);
    }

    /** Leaves the annotation if RetryOn, which chooses among all overloads, would recover with one that the library ignores. */
    void recoverOnlyWith(String name, Predicate<JavaType.Method> known) {
        List<FullyQualified> types = new ArrayList<>(classes);
        classes.forEach(type -> types.addAll(Hierarchy.above(type)));
        for (J.MethodDeclaration own : retried()) {
            JavaType.Method type = own.getMethodType();
            types.stream()
                    .flatMap(owner -> owner.getMethods().stream())
                    .filter(other -> other.getName().equals(name) && !known.test(other))
                    .filter(other -> type != null && !Hierarchy.areRelated(other, type) && couldRecover(other, type))
                    .findFirst()
                    .ifPresent(other -> translation.leave(
                            "RetryOn would also recover with another overload of " + name + "; rename that overload"));
        }
    }

    private static boolean couldRecover(JavaType.Method other, JavaType.Method retried) {
        List<JavaType> arguments = retried.getParameterTypes();
        List<JavaType> taken = other.getParameterTypes().stream()
                .filter(type -> !TypeUtils.isAssignableTo("java.lang.Throwable", type))
                .toList();
        boolean takesAll = taken.size() == arguments.size()
                && IntStream.range(0, taken.size())
                        .allMatch(i -> TypeUtils.isAssignableTo(taken.get(i), arguments.get(i)));
        return (taken.isEmpty() || takesAll)
                && (retried.getReturnType() == JavaType.Primitive.Void
                        || TypeUtils.isAssignableTo(retried.getReturnType(), other.getReturnType()));
    }

    /** Records a method that changes with the annotation. */
    void recoverWith(JavaType.Method recovery) {
        methods.put(Hierarchy.signature(recovery), SHARED);
    }

    Stream<String> recoveries() {
        return methods.keySet().stream().filter(signature -> SHARED.equals(methods.get(signature)));
    }

    /** Leaves the annotation if another one, which is left, reaches or uses the same method. */
    void leaveWith(Site other) {
        methods.entrySet().stream()
                .filter(needed -> other.methods.containsKey(needed.getKey()))
                .findFirst()
                .ifPresent(needed -> translation.leave(needed.getValue()));
    }
}
