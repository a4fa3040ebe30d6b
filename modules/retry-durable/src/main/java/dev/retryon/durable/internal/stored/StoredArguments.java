// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.stored;

import dev.retryon.durable.Codec;
import dev.retryon.durable.CodecException;
import dev.retryon.spring.Redacted;
import dev.retryon.spring.internal.expression.DeclaredParameters;
import dev.retryon.spring.internal.report.StarterLog;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodClassKey;

/**
 * The arguments of stored calls as JSON. The {@link Codec} encodes each of them; the result is an object with the names of the
 * parameters, or an array if the method was compiled without names. The types are those of the method that is called; nothing
 * in the text chooses one. Thread-safe.
 */
public final class StoredArguments {

    /** What is shown of a {@link Redacted} argument. */
    public static final String HIDDEN = "[redacted]";

    private static final String HIDDEN_JSON = '"' + HIDDEN + '"';

    private final Supplier<? extends @Nullable Codec> codec;

    private final long maxBytes;

    /** No record is the key, because JDK 17 would keep the classes of a closed application. */
    private final Map<MethodClassKey, StoredParameters> parameters = new ConcurrentHashMap<>();

    public StoredArguments(Supplier<? extends @Nullable Codec> codec, long maxBytes) {
        this.codec = Objects.requireNonNull(codec, "codec");
        this.maxBytes = maxBytes;
    }

    /** Returns a sentence for each parameter whose arguments can't come back. */
    public List<String> faults(Class<?> beanClass, Method method) {
        int count = DeclaredParameters.count(method);
        if (count == 0) {
            return List.of();
        }
        Codec found = codec.get();
        if (found == null) {
            return List.of(
                    "the arguments of method " + method.getName() + " can't be stored, because there is no codec; add"
                            + " tools.jackson.core:jackson-databind, or a bean of type "
                            + Codec.class.getName());
        }
        StoredParameters all = parameters(beanClass, method);
        List<String> faults = new ArrayList<>();
        for (int i = 0; i < all.count(); i++) {
            Type type = all.type(i);
            String unfit = unfit(found, type);
            if (unfit != null) {
                faults.add("parameter " + all.name(i) + " of method " + method.getName() + " is of type "
                        + type.getTypeName() + ", which can't be stored: " + unfit);
            }
        }
        return faults;
    }

    private StoredParameters parameters(Class<?> beanClass, Method method) {
        return parameters.computeIfAbsent(
                new MethodClassKey(method, beanClass), key -> new StoredParameters(beanClass, method));
    }

    private static @Nullable String unfit(Codec codec, Type type) {
        try {
            return codec.unfit(type);
        } catch (Throwable ex) {
            return "the codec fails on it: " + ex;
        }
    }

    /** Returns a sentence for each parameter with places whose values may not come back as they were. */
    public List<String> warnings(Class<?> beanClass, Method method) {
        Codec found = codec.get();
        if (found == null) {
            return List.of();
        }
        StoredParameters all = parameters(beanClass, method);
        List<String> warnings = new ArrayList<>();
        for (int i = 0; i < all.count(); i++) {
            List<String> places = doubts(found, all.type(i));
            if (!places.isEmpty()) {
                warnings.add("calls may be refused, because of parameter " + all.name(i) + " of method "
                        + method.getName() + ": " + String.join("; ", places));
            }
        }
        return warnings;
    }

    private static List<String> doubts(Codec codec, Type type) {
        try {
            return codec.doubts(type);
        } catch (Throwable ex) {
            return List.of(); // a guess that fails is none
        }
    }

    /**
     * Encodes the arguments of a call, decodes them again and compares.
     *
     * @throws CodecException if an argument can't be encoded or does not come back as it was, or if the text is too long
     */
    public String encode(Class<?> beanClass, Method method, @Nullable Object[] arguments) {
        StoredParameters all = parameters(beanClass, method);
        List<String> values = new ArrayList<>();
        for (int i = 0; i < arguments.length; i++) {
            values.add(encode(all, i, arguments[i]));
        }
        String text = new ArgumentTexts(values.isEmpty() ? null : all.names(), values).text();
        checkLength(text, method);
        @Nullable Object[] decoded = decode(beanClass, method, text);
        for (int i = 0; i < arguments.length; i++) {
            compare(all, i, arguments[i], decoded[i]);
        }
        return text;
    }

    @SuppressWarnings("NullAway") // a codec of the user's may return null all the same
    private String encode(StoredParameters all, int index, @Nullable Object argument) {
        try {
            String json = required().encode(argument, all.type(index));
            return Objects.requireNonNull(json, "the codec returned null");
        } catch (Throwable ex) {
            throw failed(all, index, "can't be encoded", ex);
        }
    }

    private void compare(StoredParameters all, int index, @Nullable Object argument, @Nullable Object decoded) {
        String difference;
        try {
            difference = required().difference(argument, decoded, all.type(index));
        } catch (Throwable ex) {
            throw failed(all, index, "can't be compared with its stored copy", ex);
        }
        if (difference != null) {
            throw new CodecException(
                    all.where(index) + " can't be stored"
                            + (all.isRedacted(index)
                                    ? ", because it would change when it is read back"
                                    : ": " + difference),
                    null);
        }
    }

    /**
     * Decodes the arguments of a call.
     *
     * @param text what {@link #encode} returned, perhaps in another version of the application; or anything else
     * @throws CodecException if the text does not fit the parameters
     */
    public @Nullable Object[] decode(Class<?> beanClass, Method method, String text) {
        checkLength(text, method);
        StoredParameters all = parameters(beanClass, method);
        List<String> values;
        try {
            values = all.arrange(ArgumentTexts.parse(text));
        } catch (IllegalArgumentException ex) {
            throw new CodecException(
                    "the arguments of " + method + " can't be decoded: "
                            + StarterLog.plain(String.valueOf(ex.getMessage())),
                    null);
        }
        @Nullable Object[] arguments = new Object[all.count()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = decode(all, method, i, values.get(i));
        }
        return arguments;
    }

    private @Nullable Object decode(StoredParameters all, Method method, int index, String json) {
        try {
            Object argument = required().decode(json, all.type(index));
            Class<?> type = method.getParameterTypes()[index];
            if (argument == null && type.isPrimitive()) {
                throw new IllegalArgumentException("a primitive can't be null");
            }
            return argument;
        } catch (Throwable ex) {
            throw failed(all, index, "can't be decoded", ex);
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
                            + " bytes as JSON; pass keys or ids instead of the data, or raise"
                            + " retryon.dead-letter.max-arguments-size",
                    null);
        }
    }

    /**
     * Hides what is {@link Redacted}.
     *
     * @param method the method; {@code null} if it is not known, and then every argument is hidden
     * @return a JSON object or array; {@code null} if there is nothing that may be shown
     */
    public static @Nullable String redact(@Nullable Method method, @Nullable String text) {
        if (text == null || method == null) {
            return null;
        }
        StoredParameters all = new StoredParameters(method.getDeclaringClass(), method);
        ArgumentTexts texts;
        try {
            texts = ArgumentTexts.parse(text);
        } catch (IllegalArgumentException ex) {
            return null;
        }
        List<String> names = texts.names();
        if (names == null && texts.values().size() != all.count()) {
            return null;
        }
        for (int i = 0; i < texts.values().size(); i++) {
            int index = names == null ? i : all.indexOf(names.get(i));
            // An argument that no parameter has may have belonged to one that was redacted.
            if (index < 0 || all.isRedacted(index)) {
                texts.values().set(i, HIDDEN_JSON);
            }
        }
        return texts.text();
    }

    private static CodecException failed(StoredParameters all, int index, String what, Throwable cause) {
        // What a codec says may quote the argument.
        return all.isRedacted(index)
                ? new CodecException(
                        all.where(index) + " " + what + ": " + cause.getClass().getName(), null)
                : new CodecException(all.where(index) + " " + what + ": " + cause, cause);
    }
}
