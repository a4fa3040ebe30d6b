// SPDX-License-Identifier: Apache-2.0
package dev.retryon.deadletter;

import java.time.Instant;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Selects dead letters. A condition that is {@code null} or empty matches all of them.
 *
 * @param statuses the statuses
 * @param name the name of the retry
 * @param errorType the class of the last error
 * @param text a part of the id, the method, the class of the error or its message; not case-sensitive
 * @param diedFrom the earliest {@link DeadLetter#diedAt()}
 * @param diedBefore the end of the range of {@link DeadLetter#diedAt()}, exclusive
 * @since 0.1.0
 */
public record DeadLetterFilter(
        Set<DeadLetterStatus> statuses,
        @Nullable String name,
        @Nullable String errorType,
        @Nullable String text,
        @Nullable Instant diedFrom,
        @Nullable Instant diedBefore) {

    /** Selects all dead letters. */
    public static final DeadLetterFilter ALL = new DeadLetterFilter(Set.of(), null, null, null, null, null);

    /**
     * Creates a filter.
     *
     * @param statuses the statuses; empty for all
     * @param name the name of the retry, or {@code null}
     * @param errorType the class of the last error, or {@code null}
     * @param text a part of the id, the method, the class of the error or its message, or {@code null}
     * @param diedFrom the earliest time at which a call died, inclusive, or {@code null}
     * @param diedBefore the end of the range, exclusive, or {@code null}
     */
    public DeadLetterFilter {
        statuses = Set.copyOf(statuses);
    }

    /**
     * {@return a filter for dead letters with one of some statuses}
     *
     * @param first a status
     * @param others more statuses
     */
    public static DeadLetterFilter of(DeadLetterStatus first, DeadLetterStatus... others) {
        return new DeadLetterFilter(EnumSet.of(first, others), null, null, null, null, null);
    }

    /**
     * {@return whether a dead letter matches all conditions of this filter}
     *
     * @param letter the dead letter
     */
    public boolean admits(DeadLetter letter) {
        return (statuses.isEmpty() || statuses.contains(letter.status()))
                && (name == null || name.equals(letter.name()))
                && (errorType == null || errorType.equals(letter.errorType()))
                && (diedFrom == null || !letter.diedAt().isBefore(diedFrom))
                && (diedBefore == null || letter.diedAt().isBefore(diedBefore))
                && (text == null
                        || has(letter.id())
                        || has(letter.method())
                        || has(letter.errorType())
                        || has(letter.errorMessage()));
    }

    private boolean has(@Nullable String where) {
        return where != null && text != null && where.toLowerCase(Locale.ROOT).contains(text.toLowerCase(Locale.ROOT));
    }
}
