// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Expression;

/**
 * A wait as an annotation gives it.
 *
 * @param milliseconds the number; {@code null} if it is not known or if {@code text} is set
 * @param text a text that is resolved when the application starts
 * @param constant the expression of a constant, which is written instead of its value
 */
record Wait(
        @Nullable Double milliseconds,
        @Nullable String text,
        @Nullable Expression constant) {

    static Wait of(double milliseconds) {
        return new Wait(milliseconds, null, null);
    }

    static Wait of(String text, @Nullable Expression constant) {
        return new Wait(null, text, constant);
    }

    /** The wait of a numeric attribute. */
    static Wait of(AnnotationAttributes attributes, String name, double absent) {
        Double number = attributes.number(name, absent);
        return new Wait(number, null, attributes.constant(name));
    }

    /** This wait, or the longer or shorter one that the library uses instead. */
    Wait or(double used) {
        return isKnown() && known() != used ? of(used) : this;
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
            translation.text(name, text, text, constant);
        } else if (constant != null) {
            translation.attribute(name, Translation.milliseconds(constant));
        } else {
            translation.text(name, Durations.text(known()));
        }
    }
}
