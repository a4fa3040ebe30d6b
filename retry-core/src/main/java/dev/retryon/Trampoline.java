// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import org.jspecify.annotations.Nullable;

/** Runs steps of one call that follow each other immediately in a loop, to keep the stack from growing. */
final class Trampoline {

    private static final ThreadLocal<@Nullable Trampoline> RUNNING = new ThreadLocal<>();

    private final Object call;

    private boolean again;

    private Trampoline(Object call) {
        this.call = call;
    }

    /**
     * Runs a step now or, if this thread is running a step of the same call, after that step. All steps of a call must be
     * the same object, because only the running one is repeated.
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
