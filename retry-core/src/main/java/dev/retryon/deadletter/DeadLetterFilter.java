/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.deadletter;

import java.time.Instant;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which dead letters are meant. Whatever is {@code null} or empty admits all.
 *
 * @param statuses where they stand
 * @param name the name of what was called
 * @param errorType the class of the last error
 * @param text part of the id, the method, the error's class or its message; case does not count
 * @param diedFrom the earliest {@link DeadLetter#diedAt()}
 * @param diedBefore what {@link DeadLetter#diedAt()} has to be before
 * @since 0.1.0
 */
public record DeadLetterFilter(
        Set<DeadLetterStatus> statuses,
        @Nullable String name,
        @Nullable String errorType,
        @Nullable String text,
        @Nullable Instant diedFrom,
        @Nullable Instant diedBefore) {

    /** All dead letters. */
    public static final DeadLetterFilter ALL = new DeadLetterFilter(Set.of(), null, null, null, null, null);

    /**
     * Describes dead letters.
     *
     * @param statuses where they stand; empty for all
     * @param name the name of what was called, or {@code null}
     * @param errorType the class of the last error, or {@code null}
     * @param text part of the id, the method, the error's class or its message, or {@code null}
     * @param diedFrom the earliest time of death, or {@code null}
     * @param diedBefore what the time of death has to be before, or {@code null}
     */
    public DeadLetterFilter {
        statuses = Set.copyOf(statuses);
    }

    /**
     * Dead letters of a status.
     *
     * @param first the status
     * @param others more of them
     * @return all that have one of them
     */
    public static DeadLetterFilter of(DeadLetterStatus first, DeadLetterStatus... others) {
        return new DeadLetterFilter(EnumSet.of(first, others), null, null, null, null, null);
    }

    /**
     * Whether a dead letter is among those meant.
     *
     * @param letter the dead letter
     * @return whether it meets all conditions of this filter
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
