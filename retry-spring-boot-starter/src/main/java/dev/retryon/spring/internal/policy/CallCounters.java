// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counters of the calls of one name, for which there are no events.
 *
 * @param successes calls that succeeded at once, if metrics are on
 * @param waiting calls that wait for their next attempt at this moment
 */
public record CallCounters(LongAdder successes, LongAdder waiting) {

    CallCounters() {
        this(new LongAdder(), new LongAdder());
    }
}
