// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Expression;

/**
 * A wait as an annotation defines it, and the texts with which {@code @RetryOn} defines it.
 *
 * @param known the number of milliseconds; NaN if {@code text} is set
 * @param text a string that is resolved when the application starts
 * @param constant the expression of a constant, which is written instead of its value
 */
record Wait(double known, @Nullable String text, @Nullable Expression constant) {

    /** The default delay of the annotations of Spring and of {@code @RetryOn}, in milliseconds. */
    static final double DEFAULT_DELAY = 1000;

    private static final double MINUTE = 60_000;

    private static final double SECOND = 1000;

    static Wait of(double milliseconds) {
        return new Wait(milliseconds, null, null);
    }

    static Wait of(String text, @Nullable Expression constant) {
        return new Wait(Double.NaN, text, constant);
    }

    static Wait of(AnnotationAttributes attributes, String name, double absent) {
        return new Wait(attributes.number(name, absent), null, attributes.constant(name));
    }

    /** Returns this wait, or the longer or shorter one that the library uses instead. */
    Wait or(double used) {
        return isKnown() && known != used ? of(used) : this;
    }

    boolean isKnown() {
        return text == null;
    }

    void write(Translation translation, String name) {
        if (text != null) {
            translation.text(name, text, text, constant);
        } else if (constant != null) {
            translation.attribute(name, Translation.milliseconds(constant));
        } else {
            translation.text(name, duration(known));
        }
    }

    /** Writes this wait as the delay, unless it is both libraries' default and the old annotation omits it. */
    void writeDelay(Translation translation, boolean isWritten) {
        if (isWritten || !isKnown() || known != DEFAULT_DELAY) {
            write(translation, "delay");
        }
    }

    /** Formats a duration in the largest unit in which it is a whole number. */
    static String duration(double milliseconds) {
        if (milliseconds >= MINUTE && milliseconds % MINUTE == 0) {
            return whole(milliseconds / MINUTE) + "m";
        }
        return milliseconds >= SECOND && milliseconds % SECOND == 0
                ? whole(milliseconds / SECOND) + "s"
                : whole(milliseconds) + "ms";
    }

    static String percent(double share) {
        double percent = Math.round(share * 10_000) / 100.0;
        return (percent == Math.rint(percent) ? whole(percent) : Double.toString(percent)) + "%";
    }

    /** Returns whether a text is one <code>${…}</code> and nothing else. */
    static boolean isPlaceholder(String text) {
        if (!text.startsWith("${")) {
            return false;
        }
        int depth = 0;
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '{') {
                depth++;
            } else if (text.charAt(i) == '}' && --depth == 0) {
                return i == text.length() - 1;
            }
        }
        return false;
    }

    /** Returns the expression in a string that is one <code>#{…}</code>, and other strings unchanged. */
    static String withoutTemplate(String text) {
        return text.startsWith("#{") && text.endsWith("}") && isPlaceholder("$" + text.substring(1))
                ? text.substring(2, text.length() - 1).trim()
                : text;
    }

    private static String whole(double value) {
        return Long.toString((long) value);
    }
}
