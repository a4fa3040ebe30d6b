// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A failed attempt that another one followed, and those before it. Two lists took 112 B of a call that fails twice;
 * this takes 32.
 */
final class PastAttempt {

    /** How many of the latest delays are kept, so that a call that is retried for weeks does not grow. */
    static final int DELAYS = 1000;

    /** How many of the latest errors are kept: an error may hold megabytes. At most twice as many are held at a time. */
    static final int ERRORS = 10;

    private final int number;

    /** A {@code Throwable}, the {@link ErrorText} of one, or {@code null}. */
    private @Nullable Object error;

    private final Duration delay;

    private final @Nullable CallFacts failedAt;

    private @Nullable PastAttempt before;

    private PastAttempt(
            int number,
            @Nullable Object error,
            Duration delay,
            @Nullable CallFacts failedAt,
            @Nullable PastAttempt before) {
        this.number = number;
        this.failedAt = failedAt;
        this.error = error;
        this.delay = delay;
        this.before = before;
    }

    /**
     * Adds an attempt to those before it.
     *
     * @param number the attempt's number, from 1
     * @param error what it threw, or the text of that; {@code null} if it returned a value that was to be retried
     * @param delay what was waited after it
     * @param failedAt when it failed; {@code null} if it is not known
     */
    static PastAttempt add(
            @Nullable PastAttempt before,
            int number,
            @Nullable Object error,
            Duration delay,
            @Nullable CallFacts failedAt) {
        if (before != null && number % ERRORS == 0) {
            before.dropErrors();
            if (number % DELAYS == 0) {
                before.dropAttempts();
            }
        }
        return new PastAttempt(number, error, delay, failedAt, before);
    }

    /** Drops the errors that are no longer among the latest. */
    private void dropErrors() {
        PastAttempt next = this;
        for (int i = 1; i < ERRORS && next != null; i++) {
            next = next.before;
        }
        for (int i = 0; i < 2 * ERRORS && next != null; i++) {
            next.error = null;
            next = next.before;
        }
    }

    /** Drops all but the latest attempts; done so seldom that it costs an attempt next to nothing. */
    private void dropAttempts() {
        PastAttempt oldest = this;
        for (int i = 1; i < DELAYS && oldest.before != null; i++) {
            oldest = oldest.before;
        }
        oldest.before = null;
    }

    int number() {
        return number;
    }

    @Nullable Throwable error() {
        Object kept = error;
        return kept instanceof Throwable thrown ? thrown : null;
    }

    @Nullable ErrorText text() {
        Object kept = error;
        return kept instanceof Throwable thrown ? ErrorText.of(thrown) : (ErrorText) kept;
    }

    Duration delay() {
        return delay;
    }

    @Nullable CallFacts failedAt() {
        return failedAt;
    }

    /**
     * What the latest attempts left, the oldest first.
     *
     * @param what takes it from an attempt; {@code null} is left out
     * @param latest the newest, if it is in none of them
     * @param most how many at most
     */
    static <T> List<T> list(
            @Nullable PastAttempt newest, Function<PastAttempt, @Nullable T> what, @Nullable T latest, int most) {
        @SuppressWarnings("unchecked")
        T[] items = array(newest, what, latest, most, length -> (T[]) new Object[length]);
        return List.of(items);
    }

    /** Like {@link #list}. */
    static <T> T[] array(
            @Nullable PastAttempt newest,
            Function<PastAttempt, @Nullable T> what,
            @Nullable T latest,
            int most,
            IntFunction<T[]> make) {
        int known = (newest == null ? 0 : newest.number) + (latest == null ? 0 : 1);
        T[] items = make.apply(Math.min(most, known));
        int first = items.length;
        if (latest != null && first > 0) {
            items[--first] = latest;
        }
        for (PastAttempt next = newest; next != null && first > 0; next = next.before) {
            T item = what.apply(next);
            if (item != null) {
                items[--first] = item;
            }
        }
        return first == 0 ? items : Arrays.copyOfRange(items, first, items.length);
    }
}
