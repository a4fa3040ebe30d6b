/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.actuate;

import java.util.regex.Pattern;
import org.springframework.boot.actuate.endpoint.SanitizableData;

/**
 * An expression without its literals. Placeholders in it are resolved when the application starts, so that a literal may be a
 * password by then.
 */
final class ShownExpression {

    /** Text in single or double quotes, and numbers that are not part of a name. */
    private static final Pattern LITERAL = Pattern.compile("'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|(?<![\\w#$])\\d[\\w.]*");

    private ShownExpression() {}

    static String withoutLiterals(String expression) {
        return LITERAL.matcher(expression)
                .replaceAll(
                        match -> match.group().startsWith("'") || match.group().startsWith("\"")
                                ? "'" + SanitizableData.SANITIZED_VALUE + "'"
                                : SanitizableData.SANITIZED_VALUE);
    }
}
