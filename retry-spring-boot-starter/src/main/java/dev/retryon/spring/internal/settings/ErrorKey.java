// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.settings;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** The errors that a rule is for: those of a type, or those with a code. */
public final class ErrorKey {

    private final @Nullable Class<? extends Throwable> type;

    private final String text;

    private ErrorKey(@Nullable Class<? extends Throwable> type, String text) {
        this.type = type;
        this.text = text;
    }

    public static ErrorKey of(Class<? extends Throwable> type) {
        return new ErrorKey(type, type.getName());
    }

    /** Errors with an exact code, or with a prefix that ends in {@code *}. */
    public static ErrorKey ofCode(String pattern) {
        return new ErrorKey(null, pattern);
    }

    /** The type; {@code null} if the errors have a code. */
    public @Nullable Class<? extends Throwable> type() {
        return type;
    }

    /** The name of the rule for a type or code, such as {@code errors[http.503]}. */
    public static String ruleName(Object error) {
        return Setting.ERRORS.attribute() + "[" + error + "]";
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ErrorKey that && Objects.equals(type, that.type) && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** The name of the type, or the code. */
    @Override
    public String toString() {
        return text;
    }

    /** Why a pattern probably matches no code, and how to fix it; {@code null} if it may match one. */
    public static @Nullable String problemOfCode(String pattern) {
        String code = pattern.endsWith("*") ? pattern.substring(0, pattern.length() - 1) : pattern;
        if (code.isEmpty() || code.equals(".") || code.contains("*")) {
            return "which is no usual code; write an exact code or a prefix and '*', such as 'auth.*'";
        }
        // A class has small letters in its name, and a package before it. Its name is a code.
        if (!ClassUtils.isPresent(pattern, null) && pattern.matches("([a-z_]\\w*\\.){2,}[A-Z]\\w*[a-z]\\w*")) {
            return "but no class of that name is on the class path; correct the name";
        }
        // Words such as sql.deadlock can be codes of the application.
        if (pattern.matches("sql\\.([0-9A-Z]{1,4}|[0-9A-Z]{6,})")) {
            return "but an SQLSTATE has five digits or capital letters; write 'sql.40001', or 'sql.08*' for all that"
                    + " begin so (in brackets in YAML: \"[sql.08*]\")";
        }
        if (pattern.matches("http\\.(\\d{1,2}|\\d{4,})")) {
            return "but an HTTP status has three digits; write 'http.503', or 'http.5*' for all that begin so (in"
                    + " brackets in YAML: \"[http.5*]\")";
        }
        return null;
    }
}
