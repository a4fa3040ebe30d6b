// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import dev.retryon.durable.Redacted;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedMethod;
import org.springframework.core.annotation.MergedAnnotations;

/** The parameters of a method as stored calls know them: by their names, if the method was compiled with them. */
final class StoredParameters {

    /** The name of an annotation in a library that can be missing. */
    private static final String ALIAS = "com.fasterxml.jackson.annotation.JsonAlias";

    private static final DefaultParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private final Method method;

    private final List<Type> types = new ArrayList<>();

    private final List<Boolean> redacted = new ArrayList<>();

    /** {@code null} if the method was compiled without names. */
    private final @Nullable List<String> names;

    /** The places of the parameters by their names and aliases. */
    private final Map<String, Integer> places = new LinkedHashMap<>();

    StoredParameters(Class<?> beanClass, Method method) {
        this.method = method;
        int count = method.getParameterCount() - (KotlinDetector.isSuspendingFunction(method) ? 1 : 0);
        @Nullable String[] found = NAMES.getParameterNames(method);
        this.names = found == null || found.length < count
                ? null
                : Arrays.stream(found, 0, count).map(String::valueOf).toList();
        MethodParameter[] parameters = new AnnotatedMethod(method).getMethodParameters();
        for (int i = 0; i < count; i++) {
            ResolvableType type = ResolvableType.forMethodParameter(method, i, beanClass);
            types.add(resolved(type, new HashSet<>()));
            redacted.add(parameters[i].hasParameterAnnotation(Redacted.class) || isRedacted(type, new HashSet<>()));
        }
        if (names != null) {
            for (int i = 0; i < count; i++) {
                places.put(names.get(i), i);
            }
            for (int i = 0; i < count; i++) {
                for (String alias : aliases(parameters[i])) {
                    // A parameter that has this name now takes precedence.
                    places.putIfAbsent(alias, i);
                }
            }
        }
    }

    /** Replaces type variables with the type arguments of the bean's class. */
    private static Type resolved(ResolvableType type, Set<Type> variables) {
        Type declared = type.getType();
        if (declared instanceof Class) {
            return declared;
        }
        if (type.isArray()) {
            Type component = resolved(type.getComponentType(), variables);
            return component instanceof Class<?> known ? known.arrayType() : declared;
        }
        Class<?> raw = type.resolve(Object.class);
        if (declared instanceof TypeVariable && !variables.add(declared)) {
            return raw; // T extends Comparable<T>
        }
        ResolvableType[] arguments = type.as(raw).getGenerics();
        return arguments.length == 0
                ? raw
                : ResolvableType.forClassWithGenerics(
                                raw,
                                Arrays.stream(arguments)
                                        .map(each -> ResolvableType.forType(resolved(each, variables)))
                                        .toArray(ResolvableType[]::new))
                        .getType();
    }

    /** Returns whether a part of a type is redacted. A record component has the annotation on the constructor's parameter. */
    private static boolean isRedacted(ResolvableType type, Set<Type> seen) {
        if (type.getType() instanceof TypeVariable && !seen.add(type.getType())) {
            return false; // T extends Node<T>
        }
        if (type.isArray()) {
            return isRedacted(type.getComponentType(), seen);
        }
        for (ResolvableType generic : type.getGenerics()) {
            if (isRedacted(generic, seen)) {
                return true;
            }
        }
        Class<?> owner = type.resolve(Object.class);
        if (CopyCheck.isOfPlatform(owner) || !seen.add(owner)) {
            return false;
        }
        JsonSubTypes named = owner.getAnnotation(JsonSubTypes.class);
        Stream<Class<?>> subtypes =
                named == null ? Stream.of() : Arrays.stream(named.value()).map(JsonSubTypes.Type::value);
        try {
            return Arrays.stream(owner.getDeclaredConstructors())
                            .flatMap(constructor -> Arrays.stream(constructor.getParameters()))
                            .anyMatch(parameter -> parameter.isAnnotationPresent(Redacted.class))
                    || Arrays.stream(owner.getDeclaredFields())
                            .filter(field -> !Modifier.isStatic(field.getModifiers()))
                            .anyMatch(field -> isRedacted(ResolvableType.forField(field, type), seen))
                    || isRedacted(type.getSuperType(), seen)
                    || subtypes.anyMatch(subtype -> isRedacted(ResolvableType.forClass(subtype), seen));
        } catch (LinkageError ex) {
            // A member has a type of a missing library, so no object of this class can be stored.
            return false;
        }
    }

    private static String[] aliases(MethodParameter parameter) {
        return MergedAnnotations.from(parameter.getParameterAnnotations())
                .get(ALIAS)
                .getValue("value", String[].class)
                .orElse(new String[0]);
    }

    int count() {
        return types.size();
    }

    Type type(int index) {
        return types.get(index);
    }

    boolean isRedacted(int index) {
        return redacted.get(index);
    }

    @Nullable List<String> names() {
        return names;
    }

    String name(int index) {
        return method.getParameters()[index].getName();
    }

    String where(int index) {
        return "parameter " + name(index) + " of " + method;
    }

    /** Returns whether an argument of a stored array can be shown. */
    boolean isShown(int index) {
        return index < count() && !isRedacted(index);
    }

    /** Returns whether an argument of a stored object can be shown. That of an unknown parameter name or alias could be secret. */
    boolean isShown(String name) {
        Integer index = places.get(name);
        return index != null && !isRedacted(index);
    }

    /** Returns the values of a stored array. Throws IllegalArgumentException if their number differs from the parameters'. */
    <T extends @Nullable Object> List<T> arrange(List<T> stored) {
        if (stored.size() != count()) {
            throw new IllegalArgumentException(
                    stored.size() + " arguments are stored, but " + method + " takes " + count());
        }
        return stored;
    }

    /** Returns the values in the order of the parameters. Throws IllegalArgumentException if the names do not fit. */
    <T extends @Nullable Object> List<T> arrange(Map<String, T> stored) {
        if (names == null && !stored.isEmpty()) {
            throw new IllegalArgumentException("the arguments are stored by the names of their parameters, but "
                    + method + " was compiled without parameter names; compile it with -parameters");
        }
        Map<Integer, T> arranged = new TreeMap<>();
        stored.forEach((name, value) -> {
            Integer index = places.get(name);
            if (index == null || arranged.containsKey(index)) {
                throw new IllegalArgumentException("the stored arguments include \"" + name + "\", but " + method
                        + (index == null ? " has no parameter of this name" : " already has a value for it")
                        + "; the parameters are " + String.join(", ", names) + "; if one was renamed, annotate it with"
                        + " @JsonAlias(\"" + name + "\")");
            }
            arranged.put(index, value);
        });
        for (int i = 0; i < count(); i++) {
            if (!arranged.containsKey(i)) {
                throw new IllegalArgumentException("no argument is stored for " + where(i));
            }
        }
        return new ArrayList<>(arranged.values());
    }
}
