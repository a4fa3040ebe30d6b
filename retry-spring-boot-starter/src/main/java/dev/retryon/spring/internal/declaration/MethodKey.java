// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.declaration;

import dev.retryon.spring.internal.expression.DeclaredSignature;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The name of a class, one of its methods, or one overload. The short form, such as {@code com.acme.Payments#charge(Order)},
 * can fit several overloads. The long form, such as {@code com.acme.Payments#charge(com.acme.a.Order)}, fits one. Nested
 * classes are written with {@code $}, arrays and variable arguments with {@code []}.
 *
 * @param methodName the method, or {@code null} for all
 * @param parameters the parameter types as written, or {@code null} for all overloads
 */
public record MethodKey(
        String className,
        @Nullable String methodName,
        @Nullable List<String> parameters) {

    /** Reads a key in short or long form. Spaces are ignored, and {@code ...} means {@code []}. */
    public static MethodKey parse(String text) {
        String key = text.replaceAll("\\s", "").replace("...", "[]");
        int hash = key.indexOf('#');
        if (hash < 0) {
            return new MethodKey(key, null, null);
        }
        String className = key.substring(0, hash);
        String method = key.substring(hash + 1);
        int open = method.indexOf('(');
        if (open < 0 || !method.endsWith(")")) {
            return new MethodKey(className, method, null);
        }
        String types = method.substring(open + 1, method.length() - 1);
        return new MethodKey(
                className, method.substring(0, open), types.isEmpty() ? List.of() : List.of(types.split(",", -1)));
    }

    /** Returns the key of one method, in the long form. The class can inherit the method. */
    public static MethodKey of(Class<?> beanClass, Method method) {
        return new MethodKey(
                beanClass.getName(), method.getName(), types(method).toList());
    }

    /** Returns 0 for a class, 1 for a method and 2 for an overload. The narrower a key is, the stronger its settings are. */
    public int narrowness() {
        return methodName == null ? 0 : parameters == null ? 1 : 2;
    }

    /** Returns whether the key fits a method, regardless of the class. */
    public boolean fits(Method method) {
        if (methodName != null && !methodName.equals(method.getName())) {
            return false;
        }
        if (parameters == null) {
            return true;
        }
        Class<?>[] types = DeclaredSignature.types(method);
        if (types.length != parameters.size()) {
            return false;
        }
        for (int i = 0; i < types.length; i++) {
            if (!fits(parameters.get(i), types[i].getTypeName())) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the written type is the given type, either in full or without its packages or enclosing classes. */
    private static boolean fits(String written, String type) {
        return type.equals(written) || type.endsWith("." + written) || type.endsWith("$" + written);
    }

    public boolean isLongFormOf(Method method) {
        return parameters != null && parameters.equals(types(method).toList());
    }

    private static Stream<String> types(Method method) {
        return Arrays.stream(DeclaredSignature.types(method)).map(Class::getTypeName);
    }

    /** Prints the key with simple names of the parameter types, such as {@code com.acme.Payments#charge(Order)}. */
    public String toShortString() {
        return parameters == null
                ? toString()
                : print(parameters.stream().map(MethodKey::simpleName).toList());
    }

    private static String simpleName(String type) {
        return type.substring(Math.max(type.lastIndexOf('.'), type.lastIndexOf('$')) + 1);
    }

    @Override
    public String toString() {
        return methodName == null ? className : parameters == null ? className + "#" + methodName : print(parameters);
    }

    private String print(List<String> types) {
        return className + "#" + methodName + "(" + String.join(",", types) + ")";
    }
}
