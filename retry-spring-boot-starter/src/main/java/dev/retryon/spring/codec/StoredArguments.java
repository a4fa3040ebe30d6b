/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.codec;

import dev.retryon.spring.Redacted;
import dev.retryon.spring.expression.DeclaredParameters;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.annotation.AnnotatedMethod;

/**
 * The arguments of stored calls: a JSON array of what the {@link Codec} makes of each. Their types are those of the method
 * that is called; nothing in the text chooses one. Thread-safe.
 *
 * @since 0.1.0
 */
public final class StoredArguments {

    /** What is shown of a {@link Redacted} argument. */
    public static final String HIDDEN = "[redacted]";

    private static final String HIDDEN_JSON = '"' + HIDDEN + '"';

    private final Supplier<? extends @Nullable Codec> codec;

    private final long maxBytes;

    /**
     * Creates the encoding of arguments.
     *
     * @param codec gives the codec, or {@code null} if there is none; asked for each argument
     * @param maxBytes how long the text of all arguments of a call may be, in bytes of UTF-8
     */
    public StoredArguments(Supplier<? extends @Nullable Codec> codec, long maxBytes) {
        this.codec = Objects.requireNonNull(codec, "codec");
        this.maxBytes = maxBytes;
    }

    /**
     * Checks whether calls of a method can be stored.
     *
     * @param beanClass the class of the bean
     * @param method its method
     * @return a sentence for each parameter whose arguments can't come back; empty if there is none
     */
    public List<String> faults(Class<?> beanClass, Method method) {
        int count = DeclaredParameters.count(method);
        if (count == 0) {
            return List.of();
        }
        Codec found = codec.get();
        if (found == null) {
            return List.of(
                    "the arguments of method " + method.getName() + " can't be stored, because there is nothing that"
                            + " encodes them; add tools.jackson.core:jackson-databind, or a bean of type "
                            + Codec.class.getName());
        }
        List<String> faults = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Type type = type(beanClass, method, i);
            String unfit = unfit(found, type);
            if (unfit != null) {
                faults.add("parameter " + nameOf(method, i) + " of method " + method.getName() + " is of type "
                        + type.getTypeName() + ", which can't be stored: " + unfit);
            }
        }
        return faults;
    }

    private static @Nullable String unfit(Codec codec, Type type) {
        try {
            return codec.unfit(type);
        } catch (Throwable ex) {
            return "the codec fails on it: " + ex;
        }
    }

    /**
     * Encodes the arguments of a call, and tries whether they come back.
     *
     * @param beanClass the class of the bean
     * @param method its method
     * @param arguments the arguments for the parameters that it declares
     * @return a JSON array
     * @throws CodecException if an argument can't be encoded or does not come back, or if the text is too long
     */
    public String encode(Class<?> beanClass, Method method, @Nullable Object[] arguments) {
        List<String> items = new ArrayList<>();
        for (int i = 0; i < arguments.length; i++) {
            items.add(encode(beanClass, method, i, arguments[i]));
        }
        String text = JsonArray.of(items);
        checkLength(text, method);
        @Nullable Object[] decoded = decode(beanClass, method, text);
        for (int i = 0; i < arguments.length; i++) {
            checkClass(method, i, arguments[i], decoded[i]);
        }
        return text;
    }

    @SuppressWarnings("NullAway") // a codec of the user's may return null all the same
    private String encode(Class<?> beanClass, Method method, int index, @Nullable Object argument) {
        try {
            String json = required().encode(argument, type(beanClass, method, index));
            return Objects.requireNonNull(json, "the codec returned null");
        } catch (Throwable ex) {
            throw failed(method, index, "can't be encoded", ex);
        }
    }

    /** A subclass of a parameter's type may have been encoded as if it were the type itself. */
    private static void checkClass(Method method, int index, @Nullable Object argument, @Nullable Object decoded) {
        Class<?> given = argument == null ? null : argument.getClass();
        Class<?> back = decoded == null ? null : decoded.getClass();
        boolean isOfJdk = back != null && back.getName().startsWith("java.");
        if (given != back && !(given != null && isOfJdk)) {
            throw new CodecException(
                    where(method, index) + " can't be stored: a " + nameOf(given) + " comes back as a " + nameOf(back)
                            + "; with Jackson, subtypes need @JsonTypeInfo(use = NAME) and @JsonSubTypes",
                    null);
        }
    }

    private static String nameOf(@Nullable Class<?> type) {
        return type == null ? "null" : type.getTypeName();
    }

    /**
     * Decodes the arguments of a call.
     *
     * @param beanClass the class of the bean
     * @param method its method
     * @param text what {@link #encode} returned, perhaps in another version of the application; or anything else
     * @return the arguments for the parameters that the method declares
     * @throws CodecException if the text does not fit the parameters
     */
    public @Nullable Object[] decode(Class<?> beanClass, Method method, String text) {
        checkLength(text, method);
        List<String> items;
        try {
            items = JsonArray.items(text);
        } catch (IllegalArgumentException ex) {
            throw new CodecException("the arguments of " + method + " can't be decoded: " + ex.getMessage(), null);
        }
        int count = DeclaredParameters.count(method);
        if (items.size() != count) {
            throw new CodecException(
                    "the text has " + items.size() + " arguments, but " + method + " takes " + count, null);
        }
        @Nullable Object[] arguments = new Object[count];
        for (int i = 0; i < count; i++) {
            arguments[i] = decode(beanClass, method, i, items.get(i));
        }
        return arguments;
    }

    private @Nullable Object decode(Class<?> beanClass, Method method, int index, String json) {
        try {
            Object argument = required().decode(json, type(beanClass, method, index));
            Class<?> type = method.getParameterTypes()[index];
            if (argument == null && type.isPrimitive()) {
                throw new IllegalArgumentException("a primitive is never null");
            }
            return argument;
        } catch (Throwable ex) {
            throw failed(method, index, "can't be decoded", ex);
        }
    }

    private Codec required() {
        Codec found = codec.get();
        if (found == null) {
            throw new IllegalStateException("there is no codec");
        }
        return found;
    }

    private void checkLength(String text, Method method) {
        // No character takes more than three bytes, so that most texts need not be counted.
        if (text.length() > maxBytes
                || (text.length() > maxBytes / 3 && text.getBytes(StandardCharsets.UTF_8).length > maxBytes)) {
            throw new CodecException(
                    "the arguments of " + method + " are longer than " + maxBytes
                            + " bytes as JSON; pass what they can be found by, or raise"
                            + " retryon.dead-letter.max-arguments-size",
                    null);
        }
    }

    /**
     * Hides what is {@link Redacted}.
     *
     * @param method the method; {@code null} if it is not known, and then every argument is hidden
     * @param text the arguments as they are stored, or anything else
     * @return a JSON array; {@code null} if there is nothing that may be shown
     */
    public static @Nullable String redact(@Nullable Method method, @Nullable String text) {
        if (text == null || method == null) {
            return null;
        }
        List<String> items;
        try {
            items = JsonArray.items(text);
        } catch (IllegalArgumentException ex) {
            return null;
        }
        if (items.size() != DeclaredParameters.count(method)) {
            return null;
        }
        for (int i = 0; i < items.size(); i++) {
            if (isRedacted(method, i)) {
                items.set(i, HIDDEN_JSON);
            }
        }
        return JsonArray.of(items);
    }

    private static boolean isRedacted(Method method, int index) {
        return new AnnotatedMethod(method).getMethodParameters()[index].hasParameterAnnotation(Redacted.class);
    }

    private static CodecException failed(Method method, int index, String what, Throwable cause) {
        // What a codec says may quote the argument.
        return isRedacted(method, index)
                ? new CodecException(
                        where(method, index) + " " + what + ": "
                                + cause.getClass().getName(),
                        null)
                : new CodecException(where(method, index) + " " + what + ": " + cause, cause);
    }

    private static String where(Method method, int index) {
        return "parameter " + nameOf(method, index) + " of " + method;
    }

    private static String nameOf(Method method, int index) {
        return method.getParameters()[index].getName();
    }

    private static Type type(Class<?> beanClass, Method method, int index) {
        return GenericTypeResolver.resolveType(method.getGenericParameterTypes()[index], beanClass);
    }
}
