// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.function.ThrowingFunction;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.ser.BeanPropertyWriter;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.impl.UnknownSerializer;
import tools.jackson.databind.ser.jackson.JsonValueSerializer;

/** Determines which fields of a class the mapper stores, and which are lost. Thread-safe. */
final class StoredFields {

    private static final int NO_STATE = Modifier.STATIC | Modifier.TRANSIENT;

    private final JsonMapper mapper;

    private final Map<Class<?>, List<Property>> properties = new ConcurrentHashMap<>();

    private final Map<Class<?>, List<Property>> hidden = new ConcurrentHashMap<>();

    StoredFields(JsonMapper mapper) {
        this.mapper = mapper;
    }

    record Property(String name, Class<?> type, ThrowingFunction<Object, @Nullable Object> getter) {

        @Nullable Object get(Object owner) throws Exception {
            return getter.applyWithException(owner);
        }
    }

    /** Returns the properties that are stored for a class's objects, or none if the class is not stored by properties. */
    List<Property> properties(Class<?> type) {
        return properties.computeIfAbsent(type, this::written);
    }

    private List<Property> written(Class<?> type) {
        return writers(type)
                .map(each -> new Property(each.getName(), each.getType().getRawClass(), each::get))
                .toList();
    }

    private Stream<BeanPropertyWriter> writers(Class<?> type) {
        List<BeanPropertyWriter> writers = new ArrayList<>();
        mapper._serializationContext().findValueSerializer(type).properties().forEachRemaining(each -> {
            // The value of a property without a member is created while it is written.
            if (each instanceof BeanPropertyWriter writer && writer.getMember() != null) {
                writers.add(writer);
            }
        });
        return writers.stream();
    }

    /** Returns a class's fields that are missing in its stored form, except those that are omitted on purpose. */
    List<Property> hidden(Class<?> type) {
        return hidden.computeIfAbsent(type, this::notWritten);
    }

    private List<Property> notWritten(Class<?> type) {
        SerializationContext context = mapper._serializationContext();
        if (!hasFieldsAsState(type, context.findValueSerializer(type))) {
            return List.of();
        }
        Set<Member> written =
                writers(type).map(each -> each.getMember().getMember()).collect(Collectors.toSet());
        Set<String> ignored = ignored(context.constructType(type));
        List<Property> found = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Class<?> owner = type; owner != null && !CopyCheck.isOfPlatform(owner); owner = owner.getSuperclass()) {
            for (Field field : owner.getDeclaredFields()) {
                // Jackson's ignored names refer to the fields that no subclass hides.
                boolean hasName = names.add(field.getName());
                JsonIgnore ignore = field.getAnnotation(JsonIgnore.class);
                boolean isIgnored =
                        (ignore != null && ignore.value()) || (hasName && ignored.contains(field.getName()));
                boolean isState = !isIgnored && !field.isSynthetic() && (field.getModifiers() & NO_STATE) == 0;
                if (isState && !written.contains(field) && field.trySetAccessible()) {
                    found.add(new Property(field.getName(), field.getType(), field::get));
                }
            }
        }
        return found;
    }

    /** Returns the names of properties with {@code @JsonIgnore} on any member. Jackson lists them only for reading. */
    private Set<String> ignored(JavaType type) {
        DeserializationContext context = mapper._deserializationContext();
        BeanDescription description = context.introspectBeanDescription(type, context.introspectClassAnnotations(type));
        var unused = description.findProperties(); // also finds the ignored properties
        return Objects.requireNonNullElse(description.getIgnoredPropertyNames(), Set.of());
    }

    /** Returns whether a class's fields are its state, except ignored ones. A custom serializer can write other state. */
    private static boolean hasFieldsAsState(Class<?> type, ValueSerializer<?> serializer) {
        if (Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type)) {
            // Below a class such as ArrayList, the fields are more than the elements.
            Class<?> known = type;
            while (!CopyCheck.isOfPlatform(known)) {
                known = known.getSuperclass();
            }
            return known != Object.class && !Modifier.isAbstract(known.getModifiers());
        }
        return serializer instanceof BeanSerializerBase
                || serializer instanceof UnknownSerializer
                || serializer instanceof JsonValueSerializer;
    }

    String text(Object value) {
        return mapper.writeValueAsString(value);
    }
}
