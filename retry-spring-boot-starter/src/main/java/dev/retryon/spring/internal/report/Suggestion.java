// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.report;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Finds the known name that a mistyped one resembles. */
public final class Suggestion {

    private Suggestion() {}

    /**
     * A question to put behind a sentence about an unknown name, such as {@code "; did you mean 'delay'?"}; empty if no
     * known name resembles it.
     */
    public static String of(String wrong, Collection<String> known) {
        String nearest = nearest(wrong, known);
        return nearest == null ? "" : "; did you mean '" + nearest + "'?";
    }

    public static @Nullable String nearest(String wrong, Collection<String> known) {
        String lower = wrong.toLowerCase(Locale.ROOT);
        // A third of the letters, but at least two: so that "dely" finds "delay" and "x" finds nothing.
        int tolerated = Math.min(Math.max(2, wrong.length() / 3), wrong.length() - 1);
        return known.stream()
                .filter(name -> distance(lower, name.toLowerCase(Locale.ROOT)) <= tolerated)
                .min(Comparator.<String>comparingInt(name -> distance(lower, name.toLowerCase(Locale.ROOT)))
                        .thenComparing(Comparator.naturalOrder()))
                .orElse(null);
    }

    /** The known name of which at most two letters differ. */
    public static @Nullable String slip(String wrong, Collection<String> known) {
        String nearest = nearest(wrong, known);
        return nearest == null || distance(wrong, nearest) > 2 ? null : nearest;
    }

    /** The Levenshtein distance: how many letters must be inserted, deleted or changed. */
    private static int distance(String left, String right) {
        int[] previous = new int[right.length() + 1];
        for (int j = 0; j <= right.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= left.length(); i++) {
            int[] current = new int[right.length() + 1];
            current[0] = i;
            for (int j = 1; j <= right.length(); j++) {
                int change = left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1;
                current[j] = Math.min(previous[j - 1] + change, Math.min(previous[j], current[j - 1]) + 1);
            }
            previous = current;
        }
        return previous[right.length()];
    }
}
