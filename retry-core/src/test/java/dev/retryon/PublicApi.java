/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Lists the signatures that classes in other packages can use: of public types, their public and protected members. */
final class PublicApi {

    private static final int SHOWN = Modifier.PUBLIC
            | Modifier.PROTECTED
            | Modifier.STATIC
            | Modifier.ABSTRACT
            | Modifier.FINAL
            | Modifier.INTERFACE;

    private PublicApi() {}

    /**
     * Lists the types of a directory of class files, each followed by its members.
     *
     * @param classes the root of the directory, on the class path of this JVM
     * @param internal names of outer classes that are left out
     */
    static List<String> list(Path classes, List<String> internal) {
        try (Stream<Path> files = Files.walk(classes)) {
            return files.map(file -> classes.relativize(file).toString().replace('\\', '/'))
                    .filter(file -> file.endsWith(".class") && !file.endsWith("-info.class"))
                    .map(file ->
                            file.substring(0, file.length() - ".class".length()).replace('/', '.'))
                    .filter(name -> !internal.contains(name.split("\\$", 2)[0]))
                    .sorted()
                    .map(PublicApi::load)
                    .filter(PublicApi::isVisible)
                    .flatMap(type -> lines(type).stream())
                    .toList();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, PublicApi.class.getClassLoader());
        } catch (ClassNotFoundException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static boolean isVisible(Class<?> type) {
        if (type.isAnonymousClass() || type.isLocalClass() || !isVisible(type.getModifiers())) {
            return false;
        }
        return type.getEnclosingClass() == null || isVisible(type.getEnclosingClass());
    }

    private static boolean isVisible(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    /** A type and its members. */
    static List<String> lines(Class<?> type) {
        List<String> lines = new ArrayList<>();
        lines.add(describe(type));
        TreeSet<String> members = new TreeSet<>();
        for (Field field : type.getDeclaredFields()) {
            add(
                    members,
                    type,
                    field,
                    field,
                    modifiers(field) + field.getGenericType().getTypeName() + " " + field.getName());
        }
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            add(
                    members,
                    type,
                    constructor,
                    constructor,
                    modifiers(constructor)
                            + variables(constructor.getTypeParameters())
                            + type.getName()
                            + arguments(constructor));
        }
        for (Method method : type.getDeclaredMethods()) {
            add(
                    members,
                    type,
                    method,
                    method,
                    modifiers(method) + variables(method.getTypeParameters())
                            + method.getGenericReturnType().getTypeName() + " " + method.getName() + arguments(method));
        }
        lines.addAll(members);
        return lines;
    }

    private static void add(
            TreeSet<String> members, Class<?> type, Member member, AnnotatedElement annotated, String signature) {
        if (isVisible(member.getModifiers()) && !member.isSynthetic()) {
            members.add("  " + type.getName() + ": "
                    + (annotated.isAnnotationPresent(Deprecated.class) ? "@Deprecated " : "") + signature);
        }
    }

    private static String describe(Class<?> type) {
        StringJoiner text = new StringJoiner(" ");
        String modifiers = Modifier.toString(type.getModifiers()
                & SHOWN
                & ~Modifier.STATIC
                & ~Modifier.INTERFACE
                & (type.isInterface() ? ~Modifier.ABSTRACT : ~0));
        text.add(modifiers + (type.isSealed() ? " sealed" : ""));
        text.add(
                type.isAnnotation()
                        ? "@interface"
                        : type.isInterface()
                                ? "interface"
                                : type.isEnum() ? "enum" : type.isRecord() ? "record" : "class");
        text.add(type.getName() + variables(type.getTypeParameters()).trim());
        Type parent = type.getGenericSuperclass();
        if (parent != null && parent != Object.class && !type.isEnum() && !type.isRecord()) {
            text.add("extends " + parent.getTypeName());
        }
        if (type.getGenericInterfaces().length > 0) {
            text.add((type.isInterface() ? "extends " : "implements ") + names(type.getGenericInterfaces()));
        }
        return text.toString();
    }

    private static String modifiers(Member member) {
        String text = Modifier.toString(member.getModifiers() & SHOWN);
        boolean isDefault = member instanceof Method method && method.isDefault();
        return text + (isDefault ? " default " : " ");
    }

    private static String variables(TypeVariable<?>[] variables) {
        return variables.length == 0
                ? ""
                : Arrays.stream(variables)
                        .map(variable -> variable.getName()
                                + (variable.getBounds()[0] == Object.class
                                        ? ""
                                        : " extends " + names(variable.getBounds())))
                        .collect(Collectors.joining(", ", "<", "> "));
    }

    private static String arguments(Executable executable) {
        String thrown = names(executable.getGenericExceptionTypes());
        return "(" + names(executable.getGenericParameterTypes()) + ")" + (thrown.isEmpty() ? "" : " throws " + thrown);
    }

    private static String names(Type[] types) {
        return Arrays.stream(types).map(Type::getTypeName).collect(Collectors.joining(", "));
    }
}
