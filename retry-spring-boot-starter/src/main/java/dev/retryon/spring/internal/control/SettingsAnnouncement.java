// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.control;

import dev.retryon.spring.RetrySettingsChanged;
import dev.retryon.spring.module.StarterLog;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.PayloadApplicationEvent;

/**
 * Announces changes of settings in the log and as events. Events are published one at a time, in the order in which changes took
 * effect. A listener that waits for another change does not wait for that change's event. Thread-safe.
 */
final class SettingsAnnouncement {

    private final ApplicationEventPublisher events;

    private final Queue<RetrySettingsChanged> waiting = new ConcurrentLinkedQueue<>();

    private final AtomicBoolean isPublishing = new AtomicBoolean();

    SettingsAnnouncement(ApplicationEventPublisher events) {
        this.events = events;
    }

    /** Queues an event, which {@link #announce} publishes. */
    void add(@Nullable RetrySettingsChanged event) {
        if (event != null) {
            waiting.add(event);
        }
    }

    /** Logs a line, and publishes the waiting events, unless another thread is publishing them. */
    void announce(String line) {
        StarterLog.info(line);
        while (!waiting.isEmpty() && isPublishing.compareAndSet(false, true)) {
            try {
                RetrySettingsChanged next = waiting.poll();
                if (next != null) {
                    publish(next);
                }
            } finally {
                isPublishing.set(false);
            }
        }
    }

    private void publish(RetrySettingsChanged event) {
        try {
            // Wrapped here, so that listeners of a parent context, which also receive the event, can see which context
            // published it.
            events.publishEvent(new PayloadApplicationEvent<>(events, event));
        } catch (Throwable ex) {
            StarterLog.warn("settings were changed, but a listener for the change threw an exception", ex);
        }
    }
}
