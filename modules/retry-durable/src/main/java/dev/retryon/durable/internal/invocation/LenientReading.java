// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.DeserializationProblemHandler;

/**
 * Reads data that another version of the application has stored. A removed property is ignored, and a new property has its
 * default. However, if one property is missing and another is new, the property might have been renamed, and its value would
 * be lost. Use each object for one argument.
 */
final class LenientReading extends DeserializationProblemHandler {

    private final Set<String> gone = new LinkedHashSet<>();

    private boolean lacksPrimitives;

    @Override
    public boolean handleUnknownProperty(
            DeserializationContext context,
            JsonParser parser,
            ValueDeserializer<?> deserializer,
            Object beanOrClass,
            String name) {
        gone.add(name);
        parser.skipChildren();
        return true;
    }

    @Override
    public @Nullable Object handleNullForPrimitives(
            DeserializationContext context,
            Class<?> type,
            @Nullable JsonParser parser,
            ValueDeserializer<?> deserializer,
            String message) {
        // A value that is present, such as null or an empty text, is not a missing value.
        if (parser == null || parser.currentToken() != JsonToken.END_OBJECT) {
            return NOT_HANDLED;
        }
        lacksPrimitives = true;
        return deserializer.getEmptyValue(context);
    }

    /** Returns whether the properties of the text differ from those of the object that was read. */
    boolean hasDifferences() {
        return !gone.isEmpty() || lacksPrimitives;
    }

    /**
     * Compares the text with that of the object that was read, and returns the new properties.
     *
     * @throws IllegalArgumentException if a property might have been renamed
     */
    Set<String> compare(JsonNode stored, JsonNode read) {
        Set<String> added = new LinkedHashSet<>();
        compare(stored, read, added);
        return added;
    }

    private void compare(JsonNode stored, JsonNode read, Set<String> added) {
        if (stored.isArray() && read.isArray() && stored.size() == read.size()) {
            for (int i = 0; i < stored.size(); i++) {
                compare(stored.get(i), read.get(i), added);
            }
        } else if (stored.isObject() && read.isObject()) {
            Set<String> isGone = new LinkedHashSet<>(stored.propertyNames());
            isGone.retainAll(gone);
            isGone.removeAll(read.propertyNames());
            Set<String> isNew = new LinkedHashSet<>(read.propertyNames());
            isNew.removeAll(stored.propertyNames());
            if (!isGone.isEmpty() && !isNew.isEmpty()) {
                throw new IllegalArgumentException("it has unknown properties (" + String.join(", ", isGone)
                        + ") and lacks properties (" + String.join(", ", isNew)
                        + "); if a property was renamed, add @JsonAlias with its old name; if a property was"
                        + " removed, add @JsonIgnoreProperties with its name");
            }
            added.addAll(isNew);
            read.properties().forEach(entry -> {
                JsonNode before = stored.get(entry.getKey());
                if (before != null) {
                    compare(before, entry.getValue(), added);
                }
            });
        }
    }
}
