// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.control;

import dev.retryon.spring.RetrySettingsChanged;
import dev.retryon.spring.module.RuntimeChange;
import dev.retryon.spring.module.StarterLog;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
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

    /** Queues an event, which {@link #replaced} or {@link #takenOver} publishes. */
    void add(@Nullable RetrySettingsChanged event) {
        if (event != null) {
            waiting.add(event);
        }
    }

    void replaced(Replacement changed) {
        StarterLog.info("settings of " + changed);
        publish();
    }

    /**
     * Announces changed properties.
     *
     * @param event describes the changed properties that are in effect now; {@code null} if there are none
     * @param kept the properties that are read only at start-up
     */
    void takenOver(@Nullable RetrySettingsChanged event, Collection<String> kept) {
        if (!kept.isEmpty()) {
            StarterLog.warn((kept.size() == 1 ? "property " : "properties ") + String.join(", ", kept)
                    + (kept.size() == 1 ? " has changed" : " have changed")
                    + "; restart the application to apply " + (kept.size() == 1 ? "it" : "them"));
        }
        if (event == null) {
            return;
        }
        StarterLog.info(event.description());
        publish();
    }

    /** Publishes the waiting events, unless another thread is publishing them. */
    private void publish() {
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

    /**
     * A change that replaces another one.
     *
     * @param before the previous change; {@code null} for none
     * @param after the current change; {@code null} if it was reverted
     * @param by the user; {@code null} if unknown, or if the change has expired
     */
    record Replacement(
            RuntimeChange.Target target,
            @Nullable RuntimeChange before,
            @Nullable RuntimeChange after,
            @Nullable String by) {

        boolean isDifferent() {
            return !Objects.equals(before, after);
        }

        RetrySettingsChanged event() {
            return new RetrySettingsChanged(target.path(), by, toString());
        }

        @Override
        public String toString() {
            String what = target.path().isEmpty() ? "all retries" : target.path();
            String who = (target.shared() ? " for all nodes" : "") + (by == null ? "" : " by " + by);
            if (after == null) {
                return what + ": changes reverted" + who;
            }
            String settings = after.settings().texts().entrySet().stream()
                    .map(Map.Entry::toString)
                    .collect(Collectors.joining(", "));
            return what + ": changed" + who + " to " + settings
                    + (after.until() == null ? "" : " until " + after.until());
        }
    }
}
