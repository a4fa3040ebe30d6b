/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.control;

import dev.retryon.spring.RetrySettingsChanged;
import dev.retryon.spring.settings.StarterLog;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.PayloadApplicationEvent;

/** Announces changes of settings: lines in the log and an event for the application. */
final class SettingsAnnouncement {

    private final ApplicationEventPublisher events;

    SettingsAnnouncement(ApplicationEventPublisher events) {
        this.events = events;
    }

    /** Announces what an operator has changed. */
    void replaced(SettingsReplacement changed) {
        StarterLog.info("retries of " + changed);
        publish(new RetrySettingsChanged(changed.path(), changed.by(), changed.toString()));
    }

    /**
     * Announces properties that have changed.
     *
     * @param changes what was taken over, and what was not
     * @param unchangeable the names of other properties that have changed and are read at start-up only
     */
    void takenOver(PropertyChanges changes, Set<String> unchangeable) {
        Set<String> kept = new TreeSet<>(changes.kept());
        kept.addAll(unchangeable);
        if (!kept.isEmpty()) {
            StarterLog.warn(
                    "properties " + kept + " have changed, which takes effect when the application starts again");
        }
        if (changes.changed().isEmpty()) {
            return;
        }
        String description = "properties taken over: " + String.join(", ", changes.changed());
        StarterLog.info(description);
        if (!changes.unaware().isEmpty()) {
            StarterLog.info("retries of " + changes.unaware()
                    + " were handed to the application, and go on with the settings that they were made with");
        }
        publish(new RetrySettingsChanged("", null, description));
    }

    private void publish(RetrySettingsChanged event) {
        try {
            // Wrapped here, so that listeners of a parent context, which receive it too, can see whose it is.
            events.publishEvent(new PayloadApplicationEvent<>(events, event));
        } catch (Throwable ex) {
            StarterLog.warn("a change of settings was made, but a listener for it failed", ex);
        }
    }
}
