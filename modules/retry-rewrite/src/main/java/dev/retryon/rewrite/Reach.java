// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Flag;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.JavaType.FullyQualified;

/**
 * The classes and methods that one annotation reaches, as far as the sources show, and whether RetryOn retries the same
 * ones.
 */
final class Reach {

    private final Library library;

    private final Hierarchy hierarchy;

    private final Translation translation;

    private final List<FullyQualified> classes = new ArrayList<>();

    private final Set<String> methods = new LinkedHashSet<>();

    private Reach(Library library, Hierarchy hierarchy, Translation translation) {
        this.library = library;
        this.hierarchy = hierarchy;
        this.translation = translation;
    }

    /** Follows an annotation of a class or of a method, and leaves it if RetryOn would retry other methods. */
    static Reach of(
            J.ClassDeclaration declaration,
            J.@Nullable MethodDeclaration method,
            Library library,
            Hierarchy hierarchy,
            Translation translation) {
        Reach reach = new Reach(library, hierarchy, translation);
        FullyQualified type = declaration.getType();
        JavaType.Method methodType = method == null ? null : method.getMethodType();
        if (type == null || (method != null && methodType == null)) {
            translation.leave("its types cannot be resolved");
        } else if (declaration.getKind() == J.ClassDeclaration.Kind.Type.Annotation) {
            reach.follow(type);
        } else if (methodType == null) {
            reach.addClass(type);
        } else {
            reach.addMethod(type, methodType);
        }
        return reach;
    }

    /** An annotation of the application works where it is written. */
    private void follow(FullyQualified composed) {
        if (!library.composable()) {
            translation.leave("it has no effect on an annotation, and @RetryOn has");
        }
        String name = composed.getFullyQualifiedName();
        hierarchy.all().forEach(type -> {
            if (Hierarchy.has(type.getAnnotations(), name)) {
                addClass(type);
            }
            type.getMethods().stream()
                    .filter(method -> Hierarchy.has(method.getAnnotations(), name))
                    .forEach(method -> addMethod(type, method));
        });
    }

    private void addClass(FullyQualified type) {
        add(type);
        Hierarchy.methods(type).forEach(method -> cover(method, false));
        hierarchy.below(type).stream().flatMap(Hierarchy::methods).forEach(method -> cover(method, true));
        for (FullyQualified above : Hierarchy.above(type)) {
            if (Hierarchy.has(above.getAnnotations(), library.annotation())) {
                standAlone(above);
                Hierarchy.methods(above).forEach(this::touch);
            } else if (!library.coversInherited()) {
                Hierarchy.methods(above)
                        .filter(method -> isCoveredByRetryOnOnly(method, type))
                        .findFirst()
                        .ifPresent(method -> translation.leave("on a class, @RetryOn also covers the inherited method "
                                + method.getName() + "; annotate the methods that it is for"));
            }
        }
    }

    private boolean isCoveredByRetryOnOnly(JavaType.Method method, FullyQualified type) {
        return method.hasFlags(Flag.Public)
                && (!method.hasFlags(Flag.Abstract) || type.getKind() == FullyQualified.Kind.Interface)
                && Hierarchy.related(type, method).findAny().isEmpty()
                && !isOwn(method);
    }

    /** Records a method that an annotation of its class covers, unless the method has its own annotation. */
    private void cover(JavaType.Method method, boolean inherits) {
        touch(method);
        if (isOwn(method)) {
            return;
        }
        if (!method.hasFlags(Flag.Public)) {
            translation.leave(
                    "it covers the method " + method.getName()
                            + ", which is not public; on a class, @RetryOn covers public methods only, so annotate the methods");
        }
        if (inherits) {
            inherit(method);
        }
        check(method);
    }

    private void addMethod(FullyQualified type, JavaType.Method method) {
        add(type);
        touch(method);
        check(method);
        for (FullyQualified relative : hierarchy.family(type)) {
            boolean isOther = !Hierarchy.isSame(relative, type);
            if (Hierarchy.has(relative.getAnnotations(), library.annotation())
                    || (isOther && Hierarchy.related(relative, method).anyMatch(this::isOwn))) {
                standAlone(relative);
            }
        }
        hierarchy.below(type).stream()
                .flatMap(below -> Hierarchy.related(below, method))
                .forEach(overriding -> {
                    touch(overriding);
                    if (!isOwn(overriding)) {
                        inherit(overriding);
                    }
                });
    }

    /** In all three libraries, the nearest annotation counts alone. */
    private void standAlone(FullyQualified other) {
        translation.inheritNothing();
        if (!hierarchy.contains(other)) {
            translation.leave("an annotation of " + other.getClassName()
                    + " is not in these sources, and one method must not have both");
        }
    }

    private void inherit(JavaType.Method method) {
        if (!library.inheritable()) {
            translation.leave("the method " + method.getName() + " of "
                    + method.getDeclaringType().getClassName()
                    + " would inherit it, and Resilience4j does not retry that method");
        }
    }

    private void add(FullyQualified type) {
        classes.add(type);
        classes.addAll(hierarchy.below(type));
        for (FullyQualified reached : List.copyOf(classes)) {
            if (!hierarchy.isResolved(reached)) {
                translation.leave("a supertype of " + reached.getClassName() + " cannot be resolved");
            }
        }
    }

    private void check(JavaType.Method method) {
        if (library.ignoresLaterFailures().test(method.getReturnType())) {
            translation.leave("the method " + method.getName()
                    + " returns a result that can fail later; before, only errors that the method throws were retried, on"
                    + " the thread of the caller; @RetryOn also retries later failures");
        }
    }

    private void touch(JavaType.Method method) {
        methods.add(method.getDeclaringType().getFullyQualifiedName() + "#" + method.getName()
                + method.getParameterTypes());
    }

    private boolean isOwn(JavaType.Method method) {
        return Hierarchy.has(method.getAnnotations(), library.annotation())
                || Hierarchy.has(method.getAnnotations(), SpringRetryClass.RECOVER);
    }

    /** The classes whose methods are retried. */
    List<FullyQualified> classes() {
        return classes;
    }

    /** Whether two annotations reach the same method. */
    boolean meets(Reach other) {
        return methods.stream().anyMatch(other.methods::contains);
    }
}
