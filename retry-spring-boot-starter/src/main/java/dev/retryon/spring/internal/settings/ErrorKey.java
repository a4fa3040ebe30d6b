// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.settings;

import dev.retryon.spring.module.Setting;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The errors to which a rule applies: errors of a type, or errors with a code. */
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

    /** Returns a key for errors with the given code or, if the pattern ends in {@code *}, with the given prefix. */
    public static ErrorKey ofCode(String pattern) {
        return new ErrorKey(null, pattern);
    }

    /** Returns the type, or {@code null} if the key is for a code. */
    public @Nullable Class<? extends Throwable> type() {
        return type;
    }

    /** Returns the name of the rule for a type or code, such as {@code errors[http.503]}. */
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

    @Override
    public String toString() {
        return text;
    }

    public static Set<Class<? extends Throwable>> types(
            @Nullable Set<Class<? extends Throwable>> listed, Set<ErrorKey> rules) {
        Set<Class<? extends Throwable>> types = new LinkedHashSet<>();
        if (listed != null) {
            types.addAll(listed);
        }
        for (ErrorKey rule : rules) {
            if (rule.type != null) {
                types.add(rule.type);
            }
        }
        return types;
    }
}
