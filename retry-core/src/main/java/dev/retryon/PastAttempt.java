/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A failed attempt that another one followed, and those before it. Two lists took 112 B of a call that fails twice; this
 * takes 32.
 */
final class PastAttempt {

    /** So many of the latest errors and delays are kept, so that a call that is retried for weeks does not grow. */
    static final int KEPT = 1000;

    private final int number;

    private final @Nullable Throwable error;

    private final Duration delay;

    private @Nullable PastAttempt before;

    private PastAttempt(int number, @Nullable Throwable error, Duration delay, @Nullable PastAttempt before) {
        this.number = number;
        this.error = error;
        this.delay = delay;
        this.before = before;
    }

    /**
     * Adds one to those before it.
     *
     * @param number the attempt's number, from 1
     * @param error what it threw; {@code null} if it returned a value that was to be retried
     * @param delay what was waited after it
     */
    static PastAttempt add(@Nullable PastAttempt before, int number, @Nullable Throwable error, Duration delay) {
        if (before != null && number % KEPT == 0) {
            before.forget();
        }
        return new PastAttempt(number, error, delay, before);
    }

    /** Forgets all but the latest that are kept; done so seldom that it costs an attempt next to nothing. */
    private void forget() {
        PastAttempt oldest = this;
        for (int i = 1; i < KEPT && oldest.before != null; i++) {
            oldest = oldest.before;
        }
        oldest.before = null;
    }

    int number() {
        return number;
    }

    @Nullable Throwable error() {
        return error;
    }

    Duration delay() {
        return delay;
    }

    /**
     * What the latest attempts left, the oldest first.
     *
     * @param latest the newest, if it is in none of them
     */
    static <T> List<T> list(@Nullable PastAttempt newest, Function<PastAttempt, @Nullable T> what, @Nullable T latest) {
        if (newest == null) {
            return latest == null ? List.of() : List.of(latest);
        }
        Deque<T> items = new ArrayDeque<>();
        if (latest != null) {
            items.addFirst(latest);
        }
        for (PastAttempt next = newest; next != null && items.size() < KEPT; next = next.before) {
            T item = what.apply(next);
            if (item != null) {
                items.addFirst(item);
            }
        }
        return List.copyOf(items);
    }
}
