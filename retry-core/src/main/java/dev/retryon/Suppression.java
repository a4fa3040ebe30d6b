// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

/** Adds suppressed errors, up to a limit, because a repeatedly thrown exception would accumulate them without limit. */
final class Suppression {

    static final int MOST = 10;

    private Suppression() {}

    @SuppressWarnings("ReferenceEquality") // identity is meant
    static void add(Throwable error, Throwable suppressed) {
        if (suppressed == error) {
            return;
        }
        // Locks the error, because many calls can end with the same error object at the same time.
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
