/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.rewrite;

import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Expression;

/** A wait as an annotation gives it: a literal, a constant of the code, or a text that is resolved at start-up. */
record Wait(
        @Nullable Double milliseconds,
        @Nullable Expression constant,
        @Nullable String text) {

    static Wait of(double milliseconds) {
        return new Wait(milliseconds, null, null);
    }

    static Wait of(String text) {
        return new Wait(null, null, text);
    }

    /** The wait of a numeric attribute. */
    static Wait of(AnnotationAttributes attributes, String name, double absent) {
        Double literal = attributes.number(name, absent);
        return literal != null ? of(literal.doubleValue()) : new Wait(null, attributes.get(name), null);
    }

    boolean isKnown() {
        return milliseconds != null;
    }

    double known() {
        return milliseconds == null ? Double.NaN : milliseconds;
    }

    /** Writes it as an attribute of {@code @RetryOn}. */
    void write(Translation translation, String name) {
        if (text != null) {
            translation.text(name, text);
        } else if (constant != null) {
            translation.attribute(name, Translation.milliseconds(constant));
        } else {
            translation.text(name, Durations.text(known()));
        }
    }
}
