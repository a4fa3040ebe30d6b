/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.store;

import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Repeats writes that the database has refused because of concurrent ones: it has rolled them back, and asks for that. */
final class Conflicts {

    private static final int ATTEMPTS = 10;

    private static final long LONGEST_PAUSE_MILLIS = 100;

    /** Serialization failure, which is the deadlock of MariaDB too; deadlock. */
    private static final Set<String> STATES = Set.of("40001", "40P01");

    /** MariaDB: the record has changed since it was read. */
    private static final int RECORD_CHANGED = 1020;

    private final Consumer<RuntimeException> repeats;

    /** Conflicts, of which each that is followed by a repetition is reported. */
    Conflicts(Consumer<RuntimeException> repeats) {
        this.repeats = repeats;
    }

    /** Runs a write that is a whole transaction. */
    <T extends @Nullable Object> T repeated(Supplier<T> write) {
        for (int attempt = 1; ; attempt++) {
            try {
                return write.get();
            } catch (RuntimeException ex) {
                if (attempt == ATTEMPTS || !isConflict(ex) || !pause(attempt)) {
                    throw ex;
                }
                repeats.accept(ex);
            }
        }
    }

    private static boolean isConflict(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException refusal) {
                return STATES.contains(String.valueOf(refusal.getSQLState()))
                        || refusal.getErrorCode() == RECORD_CHANGED;
            }
        }
        return false;
    }

    /** At random, so that those that have met do not meet again; returns {@code false} if the thread is interrupted. */
    private static boolean pause(int attempt) {
        try {
            Thread.sleep(ThreadLocalRandom.current().nextLong(1, Math.min(LONGEST_PAUSE_MILLIS, 2L << attempt)));
            return true;
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
