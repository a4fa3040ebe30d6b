// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test;

import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryScheduled;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A call that was retried or that failed.
 *
 * @since 0.1.0
 */
public final class RecordedCall {

    private final String name;

    private final List<RetryEvent> events = new CopyOnWriteArrayList<>();

    RecordedCall(String name) {
        this.name = name;
    }

    void add(RetryEvent event) {
        events.add(event);
    }

    /**
     * Returns the name of the retry, such as {@code PaymentService.charge}.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * Returns the events of the call so far.
     *
     * @return the events in chronological order
     */
    public List<RetryEvent> events() {
        return List.copyOf(events);
    }

    /**
     * Returns the number of attempts so far.
     *
     * @return the number of attempts, at least 1
     */
    public int attempts() {
        RetryEvent last = events.get(events.size() - 1);
        return last instanceof RetryScheduled scheduled ? scheduled.nextAttempt() : last.attempt();
    }

    /**
     * Returns the delay before each retry, in virtual time.
     *
     * @return one delay per retry
     */
    public List<Duration> waits() {
        return events.stream()
                .filter(RetryScheduled.class::isInstance)
                .map(event -> ((RetryScheduled) event).delay())
                .toList();
    }

    /**
     * Returns the failure of the call.
     *
     * @return the event, or {@code null} if the call succeeded or is still running
     */
    public @Nullable RetryFailed failure() {
        return events.get(events.size() - 1) instanceof RetryFailed failed ? failed : null;
    }

    @Override
    public String toString() {
        return events.toString();
    }
}
