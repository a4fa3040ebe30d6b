// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.report;

import java.util.Collection;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** Finds the known name that a mistyped one resembles. */
public final class NearestName {

    private NearestName() {}

    /** Returns the nearest name within {@code changes} inserted, deleted or replaced letters, or {@code null} if none is near. */
    public static @Nullable String of(String wrong, Collection<String> known, int changes) {
        return known.stream()
                .filter(name -> distance(wrong, name) <= changes)
                .min(Comparator.<String>comparingInt(name -> distance(wrong, name))
                        .thenComparing(Comparator.naturalOrder()))
                .orElse(null);
    }

    /** Returns the Levenshtein distance: the number of letters to insert, delete or replace. */
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
