// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.async;

import dev.retryon.benchmarks.call.TransientFault;
import java.util.concurrent.CompletableFuture;

/** One asynchronous call whose first attempt fails and whose second attempt succeeds, both immediately. */
final class Attempts {

    private volatile int made;

    /** Runs the next attempt. Attempts of one call never overlap. */
    @SuppressWarnings("NonAtomicVolatileUpdate")
    CompletableFuture<Attempts> next() {
        return made++ == 0
                ? CompletableFuture.failedFuture(new TransientFault())
                : CompletableFuture.completedFuture(this);
    }

    int made() {
        return made;
    }
}
