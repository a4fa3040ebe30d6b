/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

/**
 * Adds suppressed errors. An exception object that a program throws again and again would collect them for ever, so it gets
 * only a few.
 */
final class Suppression {

    /** How many suppressed errors an exception may have to be given another one. */
    static final int MOST = 10;

    private Suppression() {}

    /** Suppresses an error in another one, unless that has it already, or has many. */
    @SuppressWarnings("ReferenceEquality") // the very error
    static void add(Throwable error, Throwable suppressed) {
        if (suppressed == error) {
            return;
        }
        // Under the error's own lock, because many calls may end with one error object at the same time.
        synchronized (error) {
            Throwable[] known = error.getSuppressed();
            if (known.length >= MOST) {
                return;
            }
            for (Throwable each : known) {
                if (each == suppressed) {
                    return;
                }
            }
            error.addSuppressed(suppressed);
        }
    }
}
