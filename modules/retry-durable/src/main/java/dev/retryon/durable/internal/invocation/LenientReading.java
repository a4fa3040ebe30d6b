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
 * Reads what another version of the application has stored. A property that is gone is ignored, and one that is new has its
 * default; but where one is gone and one is new, it may have been renamed, and its value would be lost. For one argument.
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
        // A value that is there, such as null or an empty text, is no value that is missing.
        if (parser == null || parser.currentToken() != JsonToken.END_OBJECT) {
            return NOT_HANDLED;
        }
        lacksPrimitives = true;
        return deserializer.getEmptyValue(context);
    }

    /** Whether the text and the object that was read do not have the same properties. */
    boolean hasDifferences() {
        return !gone.isEmpty() || lacksPrimitives;
    }

    /**
     * Compares the text with that of the object that was read.
     *
     * @return the properties that are new
     * @throws IllegalArgumentException if one may have been renamed
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
                throw new IllegalArgumentException("it has the unknown property " + isGone + " and lacks " + isNew
                        + "; if it was renamed, add @JsonAlias with its old name; if it was removed, add"
                        + " @JsonIgnoreProperties with its name");
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
