// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import java.util.concurrent.atomic.LongAdder;

/** Counters for calls without events. {@code successes} counts calls that succeeded immediately, if metrics are on. */
public record CallCounters(LongAdder successes, LongAdder waiting) {

    CallCounters() {
        this(new LongAdder(), new LongAdder());
    }
}
