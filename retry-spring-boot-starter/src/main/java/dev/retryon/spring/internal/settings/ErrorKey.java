/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.settings;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The errors that a rule is for: those of a type, or those with a code. */
public final class ErrorKey {

    private final @Nullable Class<? extends Throwable> type;

    private final String text;

    private ErrorKey(@Nullable Class<? extends Throwable> type, String text) {
        this.type = type;
        this.text = text;
    }

    /** Errors of a type. */
    public static ErrorKey of(Class<? extends Throwable> type) {
        return new ErrorKey(type, type.getName());
    }

    /**
     * Errors with a code.
     *
     * @param pattern an exact code, or a prefix that ends in {@code *}
     * @return the key
     */
    public static ErrorKey ofCode(String pattern) {
        return new ErrorKey(null, pattern);
    }

    /** The type; {@code null} if the errors have a code. */
    public @Nullable Class<? extends Throwable> type() {
        return type;
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
}
