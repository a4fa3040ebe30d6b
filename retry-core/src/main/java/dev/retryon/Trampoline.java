// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import org.jspecify.annotations.Nullable;

/** Runs steps of one call that follow each other at once on the same thread: in a loop instead of ever deeper on the stack. */
final class Trampoline {

    private static final ThreadLocal<@Nullable Trampoline> RUNNING = new ThreadLocal<>();

    private final Object call;

    private boolean again;

    private Trampoline(Object call) {
        this.call = call;
    }

    /**
     * Runs a step of a call now, or after the step of the same call that this thread is running.
     *
     * @param call whose step it is
     * @param step the step, the same for all of the call's
     */
    @SuppressWarnings("ReferenceEquality") // identity is meant
    static void run(Object call, Runnable step) {
        Trampoline outer = RUNNING.get();
        if (outer != null && outer.call == call) {
            outer.again = true;
            return;
        }
        Trampoline own = new Trampoline(call);
        RUNNING.set(own);
        try {
            do {
                own.again = false;
                step.run();
            } while (own.again);
        } finally {
            if (outer == null) {
                RUNNING.remove();
            } else {
                RUNNING.set(outer);
            }
        }
    }
}
