// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The latest failed attempts of a call that were followed by another attempt, the oldest first. */
final class PastAttempts {

    /** The number of latest delays that are kept, so that a call that is retried for weeks does not grow. */
    static final int DELAYS = 1000;

    /** The number of latest errors that are kept, because an error may reference megabytes. */
    static final int ERRORS = 10;

    private final List<Past> attempts = new ArrayList<>();

    /**
     * A failed attempt.
     *
     * @param number its number, from 1
     * @param failure a {@link Throwable}, the {@link ErrorText} of one, or {@code null} if it returned a value or is no
     *     longer kept
     * @param delay the delay after it
     * @param failedAt when it failed; {@code null} if that is unknown
     */
    record Past(
            int number,
            @Nullable Object failure,
            Duration delay,
            @Nullable Instant failedAt) {

        @Nullable Throwable error() {
            return failure instanceof Throwable thrown ? thrown : null;
        }

        @Nullable ErrorText text() {
            return failure instanceof Throwable thrown ? ErrorText.of(thrown) : (ErrorText) failure;
        }
    }

    void add(Past attempt) {
        attempts.add(attempt);
        if (attempts.size() > DELAYS) {
            attempts.remove(0);
        }
        int outdated = attempts.size() - 1 - ERRORS;
        if (outdated >= 0) {
            Past past = attempts.get(outdated);
            attempts.set(outdated, new Past(past.number(), null, past.delay(), past.failedAt()));
        }
    }

    /** Returns the number of the newest attempt, or 0 before the first one. */
    int newest() {
        return attempts.isEmpty() ? 0 : attempts.get(attempts.size() - 1).number();
    }

    /**
     * Returns at most the given number of items from the latest attempts, the oldest first, without {@code null}. The
     * last item is the newest one, and comes from an attempt that is not stored here; {@code null} for none.
     */
    <T> List<T> latest(int most, Function<Past, @Nullable T> what, @Nullable T last) {
        List<T> items = new ArrayList<>();
        for (Past attempt : attempts) {
            T item = what.apply(attempt);
            if (item != null) {
                items.add(item);
            }
        }
        if (last != null) {
            items.add(last);
        }
        return List.copyOf(items.subList(Math.max(0, items.size() - most), items.size()));
    }
}
