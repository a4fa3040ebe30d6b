// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.load;

import dev.retryon.benchmarks.call.TransientFault;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/** One asynchronous call whose first two attempts fail and whose third attempt succeeds, each immediately. */
final class LoadCall {

    static final int ATTEMPTS = 3;

    private final CountDownLatch begun;

    private volatile int made;

    LoadCall(CountDownLatch begun) {
        this.begun = begun;
    }

    /** Runs the next attempt. Attempts of one call never overlap. */
    @SuppressWarnings("NonAtomicVolatileUpdate")
    CompletableFuture<LoadCall> next() {
        int attempt = ++made;
        if (attempt == 1) {
            begun.countDown();
        }
        return attempt < ATTEMPTS
                ? CompletableFuture.failedFuture(new TransientFault())
                : CompletableFuture.completedFuture(this);
    }

    int made() {
        return made;
    }
}
