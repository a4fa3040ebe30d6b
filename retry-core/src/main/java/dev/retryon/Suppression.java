// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

/**
 * Adds suppressed errors, up to a limit, because an exception object that is thrown repeatedly would collect them
 * without end.
 */
final class Suppression {

    /** The number of suppressed errors from which no more are added. */
    static final int MOST = 10;

    private Suppression() {}

    /** Suppresses an error in another one, unless it is already there or the limit is reached. */
    @SuppressWarnings("ReferenceEquality") // identity is meant
    static void add(Throwable error, Throwable suppressed) {
        if (suppressed == error) {
            return;
        }
        // Locks the error, because many calls may end with the same error object at the same time.
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
