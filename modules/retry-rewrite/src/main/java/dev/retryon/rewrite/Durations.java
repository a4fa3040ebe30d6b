// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

/** Durations and expressions as {@code @RetryOn} takes them. */
final class Durations {

    private static final double MINUTE = 60_000;

    private static final double SECOND = 1000;

    private Durations() {}

    /** A duration in the largest unit in which it is a whole number. */
    static String text(double milliseconds) {
        if (milliseconds >= MINUTE && milliseconds % MINUTE == 0) {
            return whole(milliseconds / MINUTE) + "m";
        }
        return milliseconds >= SECOND && milliseconds % SECOND == 0
                ? whole(milliseconds / SECOND) + "s"
                : whole(milliseconds) + "ms";
    }

    /** A share as a percentage, such as {@code 50%}. */
    static String percent(double share) {
        double percent = Math.round(share * 10_000) / 100.0;
        return (percent == Math.rint(percent) ? whole(percent) : Double.toString(percent)) + "%";
    }

    /** Whether a text is one <code>${…}</code> and nothing else. */
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

    /** The expression in a text that is one <code>#{…}</code>; other texts unchanged. */
    static String withoutTemplate(String text) {
        return text.startsWith("#{") && text.endsWith("}") && isPlaceholder("$" + text.substring(1))
                ? text.substring(2, text.length() - 1).trim()
                : text;
    }

    private static String whole(double value) {
        return Long.toString((long) value);
    }
}
