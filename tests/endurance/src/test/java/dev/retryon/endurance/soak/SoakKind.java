// SPDX-License-Identifier: Apache-2.0
package dev.retryon.endurance.soak;

import java.util.Locale;

/** The kinds of calls; each has a method of its name in {@link SoakCalls}. */
enum SoakKind {
    BLOCKING,

    LIMITED,

    KEPT,

    BUDGETED,

    ASYNCHRONOUS,

    MONO,

    FLUX;

    /** The name under which RetryOn knows the method. */
    String retryName() {
        return SoakCalls.class.getSimpleName() + "." + name().toLowerCase(Locale.ROOT);
    }
}
