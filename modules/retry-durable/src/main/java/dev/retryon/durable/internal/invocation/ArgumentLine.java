// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * The arguments of a stored call in one line of a list, such as {@code id: 4711, text: [redacted]}. The line uses only the
 * beginning of the arguments' JSON, so that a list does not read large arguments.
 */
final class ArgumentLine {

    private static final int LONGEST = 200;

    private static final String REST = "…";

    private static final JsonFactory JSON = new JsonFactory();

    private final @Nullable StoredParameters parameters;

    private final String json;

    private final StringBuilder line = new StringBuilder();

    /**
     * Creates a line.
     *
     * @param parameters the method's parameters; {@code null} to redact every argument of an unknown method
     * @param json a text that begins with a JSON object or array, and can end in the middle of it
     */
    ArgumentLine(@Nullable StoredParameters parameters, String json) {
        this.parameters = parameters;
        this.json = json;
    }

    /** Returns the line without {@link dev.retryon.durable.Redacted} values, or {@code null} if the text is not valid JSON. */
    @Nullable String read() {
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), json)) {
            return read(parser);
        }
    }

    private @Nullable String read(JsonParser parser) {
        try {
            JsonToken first = parser.nextToken();
            if (first == null || !first.isStructStart()) {
                return null;
            }
            addAll(parser);
        } catch (JacksonException ex) {
            if (parser.currentLocation().getCharOffset() < json.length()) {
                return null;
            }
            line.append(REST);
        }
        return line.length() <= LONGEST + REST.length() ? line.toString() : line.substring(0, end()) + REST;
    }

    /** Returns the end of a line that is too long, without splitting a character. */
    private int end() {
        return Character.isHighSurrogate(line.charAt(LONGEST - 1)) ? LONGEST - 1 : LONGEST;
    }

    private void addAll(JsonParser parser) {
        JsonToken token = parser.nextToken();
        for (int i = 0; !token.isStructEnd() && line.length() <= LONGEST; i++) {
            line.append(i == 0 ? "" : ", ");
            boolean isShown = parameters != null && parameters.isShown(i);
            if (token == JsonToken.PROPERTY_NAME) {
                String name = parser.currentName();
                isShown = parameters != null && parameters.isShown(name);
                line.append(name).append(": ");
                parser.nextToken();
            }
            add(parser, isShown);
            token = parser.nextToken();
        }
    }

    /** Adds a value as it is stored, even if its end is missing. */
    private void add(JsonParser parser, boolean isShown) {
        int begin = (int) parser.currentTokenLocation().getCharOffset();
        int end = json.length();
        if (!isShown) {
            line.append(StoredArguments.HIDDEN);
        }
        try {
            parser.skipChildren();
            parser.finishToken();
            end = (int) parser.currentLocation().getCharOffset();
        } finally {
            if (isShown) {
                line.append(json, begin, end);
            }
        }
    }
}
