// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.stored;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of a call as texts: a JSON object with a member per parameter, or a JSON array if the parameters have no
 * names. The content of a value is not looked at.
 *
 * @param names the names as JSON texts, with quotes and escapes; {@code null} for an array
 */
record ArgumentTexts(@Nullable List<String> names, List<String> values) {

    /** A name as JSON text. Names of Java need no escapes, those of other languages may. */
    static String quoted(String name) {
        StringBuilder text = new StringBuilder("\"");
        for (int i = 0; i < name.length(); i++) {
            char character = name.charAt(i);
            if (character == '"' || character == '\\') {
                text.append('\\').append(character);
            } else if (character < ' ') {
                text.append(String.format("\\u%04x", (int) character));
            } else {
                text.append(character);
            }
        }
        return text.append('"').toString();
    }

    /**
     * Splits a text.
     *
     * @throws IllegalArgumentException if the text is neither an array nor an object, or is cut off
     */
    static ArgumentTexts parse(String text) {
        return new Parser(text.strip()).parse();
    }

    String text() {
        if (names == null) {
            return "[" + String.join(",", values) + "]";
        }
        StringBuilder text = new StringBuilder("{");
        for (int i = 0; i < values.size(); i++) {
            text.append(i == 0 ? "" : ",").append(names.get(i)).append(':').append(values.get(i));
        }
        return text.append('}').toString();
    }

    /** Finds commas, quotes and brackets. */
    private static final class Parser {

        private final String text;

        private final List<String> names = new ArrayList<>();

        private final List<String> values = new ArrayList<>();

        private int next;

        Parser(String text) {
            this.text = text;
        }

        ArgumentTexts parse() {
            boolean isObject = text.startsWith("{");
            if (!isObject && !text.startsWith("[")) {
                throw new IllegalArgumentException("it is neither a JSON object nor a JSON array");
            }
            char last = isObject ? '}' : ']';
            next = 1;
            while (next < text.length()) {
                String item = item();
                char end = text.charAt(next++);
                boolean isLast = end == last && next == text.length();
                if (!isLast && end != ',') {
                    break;
                }
                if (!(isLast && item.isEmpty() && values.isEmpty())) {
                    add(item, isObject);
                }
                if (isLast) {
                    return new ArgumentTexts(isObject ? names : null, values);
                }
            }
            throw new IllegalArgumentException("it is not valid JSON, or is truncated");
        }

        private void add(String item, boolean isObject) {
            if (!isObject) {
                values.add(item);
                return;
            }
            int end = item.startsWith("\"") ? endOfString(item, 0) + 1 : 0;
            String rest =
                    end == 0 || end > item.length() ? "" : item.substring(end).strip();
            if (!rest.startsWith(":")) {
                throw new IllegalArgumentException("it has a member without a name");
            }
            names.add(item.substring(0, end));
            values.add(rest.substring(1).strip());
        }

        /** Reads up to the comma or bracket that ends an item. */
        private String item() {
            int start = next;
            int depth = 0;
            for (; next < text.length(); next++) {
                char character = text.charAt(next);
                if (depth == 0 && (character == ',' || character == ']' || character == '}')) {
                    return text.substring(start, next).strip();
                }
                switch (character) {
                    case '"' -> next = endOfString(text, next);
                    case '[', '{' -> depth++;
                    case ']', '}' -> depth--;
                    default -> {}
                }
            }
            throw new IllegalArgumentException("it is truncated");
        }

        /** The place of the quote that ends a string, or the end of the text. */
        private static int endOfString(String text, int start) {
            int end = start + 1;
            while (end < text.length() && text.charAt(end) != '"') {
                end += text.charAt(end) == '\\' ? 2 : 1;
            }
            return end;
        }
    }
}
