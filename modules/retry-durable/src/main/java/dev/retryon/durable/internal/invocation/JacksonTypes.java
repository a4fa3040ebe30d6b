// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.deser.ValueInstantiator;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.ser.BeanPropertyWriter;
import tools.jackson.databind.ser.PropertyWriter;
import tools.jackson.databind.ser.bean.BeanSerializerBase;

/** Finds types whose objects the mapper cannot store, or cannot restore unchanged. */
record JacksonTypes(JsonMapper mapper) {

    /** Returns the reason why arguments of a type cannot be read back, or {@code null} if no reason is known. */
    @Nullable String unfit(JavaType type) {
        for (JavaType part : parts(type)) {
            // A list of objects might contain only strings, lists and maps.
            boolean isOpen = !part.equals(type) && UnfitTypes.isUntyped(part.getRawClass());
            String unfit = isOpen ? unreadable(part) : problem(part);
            if (unfit != null) {
                return unfit;
            }
        }
        return null;
    }

    /** Returns a type with the types of its items, keys and values. */
    private static Set<JavaType> parts(JavaType type) {
        Set<JavaType> parts = new LinkedHashSet<>();
        addParts(type, parts);
        return parts;
    }

    /** Collects the types. A type can be among its own parts. */
    private static void addParts(@Nullable JavaType type, Set<JavaType> parts) {
        if (type == null || !parts.add(type)) {
            return;
        }
        for (int i = 0; i < type.containedTypeCount(); i++) {
            addParts(type.containedType(i), parts);
        }
        addParts(type.getContentType(), parts);
    }

    private @Nullable String problem(JavaType type) {
        String reason = UnfitTypes.reason(type.getRawClass());
        return reason != null ? reason : unreadable(type);
    }

    /** Asks the mapper, which knows annotations and modules. */
    private @Nullable String unreadable(JavaType type) {
        try {
            ValueDeserializer<?> deserializer = mapper._deserializationContext().findRootValueDeserializer(type);
            if (deserializer instanceof AbstractDeserializer) {
                return type.getRawClass().getName()
                        + " is abstract; annotate it with @JsonTypeInfo(use = NAME) and @JsonSubTypes, or use a"
                        + " concrete class";
            }
            if (deserializer instanceof BeanDeserializerBase bean && !canCreate(bean.getValueInstantiator(), type)) {
                return type.getRawClass().getName()
                        + " cannot be created when it is read; add a constructor without parameters, or annotate a"
                        + " constructor or factory method with @JsonCreator";
            }
            return null;
        } catch (RuntimeException ex) {
            return String.valueOf(ex.getMessage());
        }
    }

    /** Returns whether a type's objects can be created from their stored form. */
    private boolean canCreate(ValueInstantiator instantiator, JavaType type) {
        boolean isFromProperties = instantiator.canCreateUsingDefault()
                || instantiator.canCreateFromObjectWith()
                || instantiator.canCreateUsingDelegate()
                || instantiator.canCreateUsingArrayDelegate();
        // A creator with a text or a number is enough, unless objects are written by their properties.
        boolean isWrittenByProperties = !type.isThrowable()
                && mapper._serializationContext().findValueSerializer(type) instanceof BeanSerializerBase;
        return isFromProperties || (instantiator.canInstantiate() && !isWrittenByProperties);
    }

    /** Returns the places in a type, at any depth, whose values might not be read back. */
    List<String> doubts(JavaType type) {
        Set<String> doubts = new LinkedHashSet<>();
        Set<JavaType> seen = new HashSet<>();
        for (JavaType part : parts(type)) {
            String reason = doubt(part.getRawClass());
            if (reason != null && (!part.equals(type) || reason.equals(UnfitTypes.NUMBER))) {
                doubts.add(reason);
            }
            addDoubts(part, "", seen, doubts);
        }
        return new ArrayList<>(doubts);
    }

    private void addDoubts(JavaType owner, String path, Set<JavaType> seen, Set<String> doubts) {
        if (!seen.add(owner)) {
            return;
        }
        Iterator<PropertyWriter> writers =
                mapper._serializationContext().findValueSerializer(owner).properties();
        while (writers.hasNext()) {
            if (!(writers.next() instanceof BeanPropertyWriter writer) || hasOwnForm(writer)) {
                continue;
            }
            String place = path.isEmpty() ? writer.getName() : path + "." + writer.getName();
            for (JavaType part : parts(writer.getType())) {
                String doubt = doubt(part.getRawClass());
                String reason = doubt != null ? doubt : problem(part);
                if (reason != null) {
                    doubts.add("its property " + place + " is of type "
                            + writer.getType().toCanonical() + ": " + reason);
                } else {
                    addDoubts(part, place, seen, doubts);
                }
            }
        }
    }

    /** Returns the reason why only some values can be read back, or {@code null} if the values' class is certain. */
    private static @Nullable String doubt(Class<?> type) {
        if (type == Number.class) {
            return UnfitTypes.NUMBER;
        }
        return UnfitTypes.isUntyped(type) ? UnfitTypes.OBJECT : null;
    }

    /** Returns whether annotations of the property define its stored form. */
    private static boolean hasOwnForm(BeanPropertyWriter writer) {
        return writer.getTypeSerializer() != null
                || writer.getAnnotation(JsonSerialize.class) != null
                || writer.getAnnotation(JsonDeserialize.class) != null;
    }
}
