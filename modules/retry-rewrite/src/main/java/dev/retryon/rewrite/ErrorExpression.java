// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Rewrites an expression whose root is the error to one that names it {@code #error}. */
final class ErrorExpression {

    private static final Set<String> OPERATORS = Set.of(
            "and", "or", "not", "eq", "ne", "lt", "gt", "le", "ge", "div", "mod", "matches", "between", "instanceof");

    private static final Set<String> LITERALS = Set.of("true", "false", "null");

    private final String expression;

    private final StringBuilder result = new StringBuilder();

    private int position;

    private ErrorExpression(String expression) {
        this.expression = expression;
    }

    /** Returns the same condition over {@code #error}; {@code null} where a change of root can't be followed. */
    static @Nullable String translate(String expression) {
        String plain = Durations.withoutTemplate(expression.trim());
        if (plain.contains("#{")) {
            return null;
        }
        return new ErrorExpression(plain).translate();
    }

    private @Nullable String translate() {
        // The last character that is no space. A name after a dot is a member of the value before the dot.
        char before = ' ';
        while (position < expression.length()) {
            char next = expression.charAt(position);
            if (next == '\'' || next == '"') {
                copyQuoted(next);
            } else if (Durations.isPlaceholder(expression.substring(position, placeholderEnd()))) {
                copyTo(placeholderEnd());
            } else if (next == '{' || (next == '[' && "?!^$".indexOf(before) >= 0)) {
                return null;
            } else if (Character.isJavaIdentifierStart(next) && next != '$') {
                int end = identifierEnd(position);
                String word = expression.substring(position, end);
                if (before == '#') {
                    result.append(word.equals("root") || word.equals("this") ? "error" : word);
                    position = end;
                } else if (before == '@' || before == '.') {
                    copyTo(end);
                } else if (word.equals("T") && expression.startsWith("(", end)) {
                    int close = expression.indexOf(')', end);
                    copyTo(close < 0 ? end : close + 1);
                } else if (word.equals("new")) {
                    int open = expression.indexOf('(', end);
                    copyTo(open < 0 ? end : open);
                } else {
                    if (!OPERATORS.contains(word) && !LITERALS.contains(word)) {
                        result.append("#error.");
                    }
                    copyTo(end);
                }
            } else if (Character.isDigit(next)) {
                copyTo(identifierEnd(position));
            } else {
                copyTo(position + 1);
            }
            char last = result.charAt(result.length() - 1);
            before = Character.isWhitespace(last) ? before == '.' ? '.' : ' ' : last;
        }
        return result.toString();
    }

    private int placeholderEnd() {
        int end = expression.indexOf('}', position);
        return end < 0 ? position : end + 1;
    }

    private int identifierEnd(int start) {
        int end = start;
        while (end < expression.length() && Character.isJavaIdentifierPart(expression.charAt(end))) {
            end++;
        }
        return end;
    }

    private void copyQuoted(char quote) {
        int end = expression.indexOf(quote, position + 1);
        copyTo(end < 0 ? expression.length() : end + 1);
    }

    private void copyTo(int end) {
        result.append(expression, position, end);
        position = end;
    }
}
