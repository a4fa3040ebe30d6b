// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import dev.retryon.durable.ArgumentMapperBuilderCustomizer;
import dev.retryon.durable.Redacted;
import dev.retryon.spring.module.RetriedMethod;
import dev.retryon.spring.module.StarterLog;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodClassKey;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.util.TokenBuffer;

/**
 * The arguments of stored calls as JSON: an object with the names of the parameters, or an array if the method was compiled
 * without parameter names. The types are those of the called method. The text does not select types. Thread-safe.
 */
public final class StoredArguments {

    /** The text that replaces a {@link Redacted} argument. */
    public static final String HIDDEN = "[redacted]";

    private static final int MAX_WARNINGS = 1000;

    private static final TypeReference<List<@Nullable TokenBuffer>> LIST = new TypeReference<>() {};

    private static final TypeReference<LinkedHashMap<String, @Nullable TokenBuffer>> MAP = new TypeReference<>() {};

    /** Splits texts into arguments. Tokens keep each number as it was written. */
    private static final JsonMapper TOKENS = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private final JsonMapper mapper;

    private final JacksonTypes types;

    private final StoredFields fields;

    private final long maxBytes;

    /** The key is not a record, because JDK 17 would keep the classes of a closed application. */
    private final Map<MethodClassKey, StoredParameters> parameters = new ConcurrentHashMap<>();

    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    public StoredArguments(List<ArgumentMapperBuilderCustomizer> customizers, long maxBytes) {
        this.mapper = StorageMapper.create(customizers);
        this.types = new JacksonTypes(mapper);
        this.fields = new StoredFields(mapper);
        this.maxBytes = maxBytes;
    }

    /** Returns a sentence for each parameter whose arguments cannot be read back. */
    public List<String> faults(Class<?> beanClass, Method method) {
        StoredParameters all = parameters(beanClass, method);
        List<String> faults = new ArrayList<>();
        for (int i = 0; i < all.count(); i++) {
            String unfit = unfit(all, i);
            if (unfit != null) {
                faults.add("parameter " + all.name(i) + " of method " + method.getName() + " is of type "
                        + all.type(i).getTypeName() + ", which cannot be stored: " + unfit);
            }
        }
        return faults;
    }

    private StoredParameters parameters(Class<?> beanClass, Method method) {
        return parameters.computeIfAbsent(
                new MethodClassKey(method, beanClass), key -> new StoredParameters(beanClass, method));
    }

    private JavaType type(StoredParameters all, int index) {
        return mapper.constructType(all.type(index));
    }

    private @Nullable String unfit(StoredParameters all, int index) {
        try {
            return types.unfit(type(all, index));
        } catch (Throwable ex) {
            return "Jackson fails on it: " + ex;
        }
    }

    /** Returns a sentence for each parameter with places whose values might not be restored unchanged. */
    public List<String> warnings(Class<?> beanClass, Method method) {
        StoredParameters all = parameters(beanClass, method);
        List<String> warnings = new ArrayList<>();
        for (int i = 0; i < all.count(); i++) {
            List<String> places = doubts(all, i);
            if (!places.isEmpty()) {
                warnings.add("calls might be rejected, because of parameter " + all.name(i) + " of method "
                        + method.getName() + ": " + String.join("; ", places));
            }
        }
        return warnings;
    }

    private List<String> doubts(StoredParameters all, int index) {
        try {
            return types.doubts(type(all, index));
        } catch (Throwable ex) {
            return List.of(); // no warning without a certain reason
        }
    }

    /**
     * Encodes the arguments of a call, decodes them again and compares both.
     *
     * @throws IllegalArgumentException if an argument cannot be encoded or is not restored unchanged, or if the text is too
     *     long; the message names the method and the parameter, and quotes no part of a {@link Redacted} argument
     */
    public String encode(Class<?> beanClass, Method method, @Nullable Object[] arguments) {
        StoredParameters all = parameters(beanClass, method);
        String text = write(all, arguments);
        checkLength(text, method);
        @Nullable Object[] decoded = decode(beanClass, method, text);
        for (int i = 0; i < arguments.length; i++) {
            compare(all, i, arguments[i], decoded[i]);
        }
        return text;
    }

    private String write(StoredParameters all, @Nullable Object[] arguments) {
        List<String> names = arguments.length == 0 ? null : all.names();
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = mapper.createGenerator(text)) {
            if (names == null) {
                generator.writeStartArray();
            } else {
                generator.writeStartObject();
            }
            for (int i = 0; i < arguments.length; i++) {
                if (names != null) {
                    generator.writeName(names.get(i));
                }
                write(all, i, arguments[i], generator);
            }
        }
        return text.toString();
    }

    private void write(StoredParameters all, int index, @Nullable Object argument, JsonGenerator generator) {
        try {
            mapper.writerFor(type(all, index)).writeValue(generator, argument);
        } catch (Throwable ex) {
            throw failed(all, index, "cannot be encoded", ex);
        }
    }

    private void compare(StoredParameters all, int index, @Nullable Object argument, @Nullable Object decoded) {
        String difference;
        try {
            difference = new CopyCheck(fields)
                    .difference(argument, decoded, type(all, index).getRawClass());
        } catch (Throwable ex) {
            throw failed(all, index, "cannot be compared with its stored copy", ex);
        }
        if (difference != null) {
            throw new IllegalArgumentException(all.where(index) + " cannot be stored"
                    + (all.isRedacted(index) ? ", because it would change when it is read back" : ": " + difference));
        }
    }

    /**
     * Decodes the arguments of a call.
     *
     * @param text the result of {@link #encode}, perhaps from another version of the application, or any other text
     * @throws IllegalArgumentException if the text does not fit the parameters; the message is like that of {@link #encode}
     */
    public @Nullable Object[] decode(Class<?> beanClass, Method method, String text) {
        checkLength(text, method);
        StoredParameters all = parameters(beanClass, method);
        List<@Nullable TokenBuffer> values;
        try {
            values = isArray(text) ? all.arrange(list(text)) : all.arrange(map(text));
        } catch (JacksonException ex) {
            throw undecodable(method, "it is not a valid JSON object or array");
        } catch (IllegalArgumentException ex) {
            throw undecodable(method, StarterLog.plain(String.valueOf(ex.getMessage())));
        }
        @Nullable Object[] arguments = new Object[all.count()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = read(all, method, i, values.get(i));
        }
        return arguments;
    }

    private static IllegalArgumentException undecodable(Method method, String why) {
        return new IllegalArgumentException("the arguments of " + method + " cannot be decoded: " + why);
    }

    private static boolean isArray(String text) {
        return text.stripLeading().startsWith("[");
    }

    private static List<@Nullable TokenBuffer> list(String text) {
        return TOKENS.readValue(text, LIST);
    }

    private static Map<String, @Nullable TokenBuffer> map(String text) {
        Map<String, @Nullable TokenBuffer> arguments = TOKENS.readValue(text, MAP);
        if (arguments == null) {
            throw new IllegalArgumentException("it is null");
        }
        return arguments;
    }

    private @Nullable Object read(StoredParameters all, Method method, int index, @Nullable TokenBuffer value) {
        try {
            Object argument = read(type(all, index), value);
            if (argument == null && method.getParameterTypes()[index].isPrimitive()) {
                throw new IllegalArgumentException("a primitive cannot be null");
            }
            return argument;
        } catch (Throwable ex) {
            throw failed(all, index, "cannot be decoded", ex);
        }
    }

    private @Nullable Object read(JavaType type, @Nullable TokenBuffer value) {
        LenientReading reading = new LenientReading();
        ObjectReader reader = mapper.readerFor(type).withHandler(reading);
        if (value == null) {
            return reader.readValue("null");
        }
        Object argument = reader.readValue(parser(value));
        if (reading.hasDifferences()) {
            String again = mapper.writerFor(type).writeValueAsString(argument);
            Set<String> added = reading.compare(mapper.readTree(parser(value)), mapper.readTree(again));
            if (!added.isEmpty()) {
                warn("a call was stored before properties were added to its argument of type " + type.toCanonical()
                        + " (" + String.join(", ", added) + "); these properties have their default values. To let such"
                        + " calls wait instead, add @JsonProperty(required = true) (logged once)");
            }
        }
        return argument;
    }

    private JsonParser parser(TokenBuffer value) {
        return value.asParser(mapper._deserializationContext());
    }

    private void warn(String warning) {
        if (warned.size() < MAX_WARNINGS && warned.add(warning)) {
            StarterLog.warn(warning);
        }
    }

    private void checkLength(String text, Method method) {
        // A character has at most three bytes, so the bytes of most texts need not be counted.
        if (text.length() > maxBytes
                || (text.length() > maxBytes / 3 && text.getBytes(StandardCharsets.UTF_8).length > maxBytes)) {
            throw new IllegalArgumentException("the arguments of " + method + " are longer than " + maxBytes
                    + " bytes as JSON; pass keys or ids instead of the data, or raise"
                    + " retryon.dead-letter.max-arguments-size");
        }
    }

    /** Hides {@link Redacted} values, and all values of an unknown method. Returns {@code null} if no value may be shown. */
    public @Nullable String redact(@Nullable RetriedMethod method, @Nullable String text) {
        return method == null || text == null ? null : redact(parameters(method.beanClass(), method.method()), text);
    }

    static @Nullable String redact(StoredParameters all, String text) {
        try {
            if (!isArray(text)) {
                Map<String, @Nullable Object> named = new LinkedHashMap<>(map(text));
                named.replaceAll((name, value) -> all.isShown(name) ? value : HIDDEN);
                return TOKENS.writeValueAsString(named);
            }
            List<@Nullable Object> values = new ArrayList<>(all.arrange(list(text)));
            for (int i = 0; i < values.size(); i++) {
                if (all.isRedacted(i)) {
                    values.set(i, HIDDEN);
                }
            }
            return TOKENS.writeValueAsString(values);
        } catch (JacksonException | IllegalArgumentException ex) {
            return null;
        }
    }

    /**
     * Returns the beginning of the arguments in a line for lists, without {@link Redacted} values, or {@code null} if
     * {@code start} is not the beginning of a JSON object or array. If the method is unknown, every argument is hidden.
     */
    public @Nullable String line(@Nullable RetriedMethod method, @Nullable String start) {
        StoredParameters known = method == null ? null : parameters(method.beanClass(), method.method());
        return start == null ? null : new ArgumentLine(known, start).read();
    }

    private static IllegalArgumentException failed(StoredParameters all, int index, String what, Throwable cause) {
        // The message of the cause might quote the argument.
        return all.isRedacted(index)
                ? new IllegalArgumentException(
                        all.where(index) + " " + what + ": " + cause.getClass().getName())
                : new IllegalArgumentException(all.where(index) + " " + what + ": " + cause, cause);
    }
}
