// SPDX-License-Identifier: Apache-2.0
package dev.retryon.endurance.soak;

import dev.retryon.DeadLettered;
import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryListener;
import dev.retryon.RetryScheduled;
import dev.retryon.RetrySucceeded;
import dev.retryon.StopReason;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/** Counts calls, attempts and the events of RetryOn. */
final class SoakTally implements RetryListener {

    /** Reasons for which a call can end between a retry that was announced and its attempt. */
    private static final Set<StopReason> DURING_A_WAIT =
            Set.of(StopReason.INTERRUPTED, StopReason.CANCELLED, StopReason.SHUTDOWN, StopReason.REJECTED);

    private final SoakFaults faults;

    private final Map<SoakKind, Counts> counts = new EnumMap<>(SoakKind.class);

    private final Map<String, Counts> byName = new HashMap<>();

    private final LongAdder letters = new LongAdder();

    SoakTally(SoakFaults faults) {
        this.faults = faults;
        for (SoakKind kind : SoakKind.values()) {
            Counts each = new Counts();
            counts.put(kind, each);
            byName.put(kind.retryName(), each);
        }
    }

    /** What is counted of one kind of calls. */
    static final class Counts {

        final LongAdder calls = new LongAdder();

        final LongAdder attempts = new LongAdder();

        final LongAdder scheduled = new LongAdder();

        final LongAdder ends = new LongAdder();

        final LongAdder kept = new LongAdder();

        final LongAdder attemptsOfEnds = new LongAdder();

        final LongAdder endsDuringWaits = new LongAdder();
    }

    /** Counts a dead letter that was stored. */
    void letter() {
        letters.increment();
    }

    long letters() {
        return letters.sum();
    }

    SoakFaults faults() {
        return faults;
    }

    Counts of(SoakKind kind) {
        Counts found = counts.get(kind);
        if (found == null) {
            throw new IllegalArgumentException("no counts of " + kind);
        }
        return found;
    }

    void call(SoakKind kind) {
        of(kind).calls.increment();
    }

    void attempt(SoakKind kind) {
        of(kind).attempts.increment();
    }

    @Override
    public void onEvent(RetryEvent event) {
        Counts of = byName.get(event.name());
        if (of == null) {
            return;
        }
        if (event instanceof RetryScheduled) {
            of.scheduled.increment();
        } else if (event instanceof DeadLettered) {
            of.kept.increment();
        } else {
            of.ends.increment();
            of.attemptsOfEnds.add(event.attempt());
            if (event instanceof RetryFailed failed && DURING_A_WAIT.contains(failed.reason())) {
                of.endsDuringWaits.increment();
            } else if (event instanceof RetrySucceeded succeeded && succeeded.retries() == 0) {
                throw new IllegalStateException("success at once is no event: " + event);
            }
        }
    }
}
