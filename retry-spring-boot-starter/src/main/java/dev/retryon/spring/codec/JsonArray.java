/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.codec;

import java.util.ArrayList;
import java.util.List;

/** The text of a JSON array and the texts of its items. What is in an item is none of its matter. */
final class JsonArray {

    private final String text;

    private final List<String> items = new ArrayList<>();

    private int next;

    private JsonArray(String text) {
        this.text = text;
    }

    static String of(List<String> items) {
        return "[" + String.join(",", items) + "]";
    }

    /**
     * Splits an array.
     *
     * @throws IllegalArgumentException if the text is no array, or is cut off
     */
    static List<String> items(String text) {
        return new JsonArray(text.strip()).split();
    }

    private List<String> split() {
        if (!text.startsWith("[") || text.length() < 2) {
            throw new IllegalArgumentException("it is no JSON array");
        }
        next = 1;
        while (next < text.length()) {
            String item = item();
            char end = text.charAt(next++);
            if (end == ']' && next == text.length()) {
                if (!(item.isEmpty() && items.isEmpty())) {
                    items.add(item);
                }
                return items;
            }
            if (end != ',') {
                break;
            }
            items.add(item);
        }
        throw new IllegalArgumentException("it is no JSON array, or is cut off");
    }

    /** Reads up to the comma or bracket that ends an item. */
    private String item() {
        int start = next;
        int depth = 0;
        for (; next < text.length(); next++) {
            char character = text.charAt(next);
            if (depth == 0 && (character == ',' || character == ']')) {
                return text.substring(start, next).strip();
            }
            switch (character) {
                case '"' -> skipString();
                case '[', '{' -> depth++;
                case ']', '}' -> depth--;
                default -> {}
            }
        }
        throw new IllegalArgumentException("it is cut off");
    }

    /** Goes to the quote that ends a string. */
    private void skipString() {
        for (next++; next < text.length() && text.charAt(next) != '"'; next++) {
            if (text.charAt(next) == '\\') {
                next++;
            }
        }
    }
}
