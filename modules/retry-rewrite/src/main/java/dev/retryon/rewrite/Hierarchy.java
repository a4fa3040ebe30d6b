// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.openrewrite.java.tree.Flag;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.JavaType.FullyQualified;
import org.openrewrite.java.tree.TypeTree;
import org.openrewrite.java.tree.TypeUtils;

/** The classes of all sources, and their inheritance. */
final class Hierarchy {

    private final Map<String, FullyQualified> types = new LinkedHashMap<>();

    /** The classes with a supertype that the parser does not know. */
    private final Set<String> unresolved = new HashSet<>();

    void add(J.ClassDeclaration declaration) {
        FullyQualified type = declaration.getType();
        if (type == null) {
            return;
        }
        types.put(type.getFullyQualifiedName(), type);
        Stream<TypeTree> supertypes = Stream.concat(
                Stream.ofNullable(declaration.getExtends()),
                Stream.ofNullable(declaration.getImplements()).flatMap(List::stream));
        if (supertypes.anyMatch(supertype ->
                !(supertype.getType() instanceof FullyQualified) || supertype.getType() instanceof JavaType.Unknown)) {
            unresolved.add(type.getFullyQualifiedName());
        }
    }

    boolean isResolved(FullyQualified type) {
        return Stream.concat(Stream.of(type), above(type).stream())
                .noneMatch(known -> unresolved.contains(known.getFullyQualifiedName()));
    }

    boolean contains(FullyQualified type) {
        return types.containsKey(type.getFullyQualifiedName());
    }

    Stream<FullyQualified> all() {
        return types.values().stream();
    }

    List<FullyQualified> below(FullyQualified type) {
        return all().filter(candidate -> above(candidate).stream().anyMatch(above -> isSame(above, type)))
                .toList();
    }

    /** Returns the superclasses and interfaces of a type, without {@code Object}. */
    static List<FullyQualified> above(FullyQualified type) {
        List<FullyQualified> above = new ArrayList<>(type.getInterfaces());
        FullyQualified superclass = type.getSupertype();
        if (superclass != null && !TypeUtils.isObject(superclass)) {
            above.add(superclass);
        }
        List.copyOf(above).forEach(next -> above.addAll(above(next)));
        return above;
    }

    List<FullyQualified> family(FullyQualified type) {
        List<FullyQualified> family = new ArrayList<>(List.of(type));
        family.addAll(above(type));
        family.addAll(below(type));
        return family;
    }

    static boolean isSame(FullyQualified one, FullyQualified other) {
        return one.getFullyQualifiedName().equals(other.getFullyQualifiedName());
    }

    /** Returns whether the annotations include the given one, or one that is composed with it. */
    static boolean has(List<FullyQualified> annotations, String type) {
        return annotations.stream()
                .anyMatch(annotation -> TypeUtils.isOfClassType(annotation, type)
                        || annotation.getAnnotations().stream().anyMatch(meta -> TypeUtils.isOfClassType(meta, type)));
    }

    static boolean uses(FullyQualified type, String annotation) {
        return has(type.getAnnotations(), annotation)
                || type.getMethods().stream().anyMatch(method -> has(method.getAnnotations(), annotation));
    }

    /** Returns a class's methods that a proxy can advise. */
    static Stream<JavaType.Method> methods(FullyQualified type) {
        return type.getMethods().stream()
                .filter(method ->
                        !method.isConstructor() && !method.hasFlags(Flag.Static) && !method.hasFlags(Flag.Private));
    }

    /** Returns a class's methods that override the given method, or that it overrides. */
    static Stream<JavaType.Method> related(FullyQualified type, JavaType.Method method) {
        return methods(type).filter(other -> areRelated(other, method));
    }

    static boolean areRelated(JavaType.Method one, JavaType.Method other) {
        return one.getName().equals(other.getName())
                && haveSameParameters(one.getParameterTypes(), other.getParameterTypes());
    }

    /** Returns a string that is the same for each use of one method. */
    static String signature(JavaType.Method method) {
        return method.getDeclaringType().getFullyQualifiedName() + "#" + method.getName() + method.getParameterTypes();
    }

    private static boolean haveSameParameters(List<JavaType> some, List<JavaType> others) {
        return some.size() == others.size()
                && IntStream.range(0, some.size()).allMatch(i -> mayBeSame(some.get(i), others.get(i)));
    }

    private static boolean mayBeSame(JavaType one, JavaType other) {
        if (one instanceof JavaType.GenericTypeVariable || other instanceof JavaType.GenericTypeVariable) {
            return true;
        }
        return (one instanceof FullyQualified first && other instanceof FullyQualified second)
                ? isSame(first, second)
                : one.toString().equals(other.toString());
    }
}
