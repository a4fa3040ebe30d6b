// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

/** Restores the interrupt flag of a thread on which an extension has thrown an {@link InterruptedException}. */
final class Interruption {

    private Interruption() {}

    /**
     * Sets the interrupt flag if the exception is an interruption. Call this wherever an exception of a listener,
     * gate, decider, strategy or resolver is caught.
     */
    static void keep(Throwable failure) {
        if (failure instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
    }
}
