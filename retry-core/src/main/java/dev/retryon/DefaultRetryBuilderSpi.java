// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.spi.CallHandover;
import dev.retryon.spi.RetryBuilderSpi;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Sets the settings of a builder that are for modules. */
record DefaultRetryBuilderSpi(RetryBuilder builder, CallSettings.Draft settings) implements RetryBuilderSpi {

    @Override
    public RetryBuilder handOver(CallHandover handover) {
        settings.handover = Objects.requireNonNull(handover, "handover");
        return builder;
    }

    @Override
    public RetryBuilder keepLocal() {
        settings.handover = null;
        return builder;
    }

    @Override
    public RetryBuilder recovery(RetryRecovery<Object, ?> recovery) {
        settings.recovery = Objects.requireNonNull(recovery, "recovery");
        return builder;
    }

    @Override
    public RetryBuilder countSuccesses(LongAdder counter) {
        settings.successes = Objects.requireNonNull(counter, "counter");
        return builder;
    }

    @Override
    public RetryBuilder countWaiting(LongAdder counter) {
        settings.waiting = Objects.requireNonNull(counter, "counter");
        return builder;
    }

    @Override
    public RetryBuilder timed(boolean timed) {
        settings.timed = timed;
        return builder;
    }
}
