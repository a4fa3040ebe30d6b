/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

/** Keeps the interrupt flag of a thread on which code of the user's has thrown an {@link InterruptedException}. */
final class Interruption {

    private Interruption() {}

    /**
     * Sets the interrupt flag again if the fault is an interruption. To be called wherever a fault of a listener, gate,
     * decider, strategy or resolver goes no further.
     */
    static void keep(Throwable fault) {
        if (fault instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
    }
}
