// SPDX-License-Identifier: Apache-2.0
package dev.retryon.endurance.soak;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/** Throws by chance, instead of the code that users plug in. */
final class SoakFaults {

    private final int percent;

    private final LongAdder thrown = new LongAdder();

    /**
     * Creates faults.
     *
     * @param percent of how many in 100 calls one is thrown; zero for none
     */
    SoakFaults(int percent) {
        this.percent = percent;
    }

    void maybeThrow() {
        int draw = ThreadLocalRandom.current().nextInt(1000);
        if (draw >= percent * 10) {
            return;
        }
        thrown.increment();
        switch (draw % 3) {
            case 0 -> throw new IllegalStateException("a fault of the soak");
            case 1 -> throw new AssertionError("an error of the soak");
            default -> throw new NoClassDefFoundError("a linkage error of the soak");
        }
    }

    long thrown() {
        return thrown.sum();
    }
}
