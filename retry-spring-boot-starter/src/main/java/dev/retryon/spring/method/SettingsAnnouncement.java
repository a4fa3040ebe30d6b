/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.spring.RetrySettingsChanged;
import dev.retryon.spring.settings.StarterLog;
import java.util.function.Consumer;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.PayloadApplicationEvent;

/**
 * Announces changes of settings: a line in the log and an event for the application.
 *
 * @since 0.1.0
 */
public final class SettingsAnnouncement implements Consumer<SettingsReplacement> {

    private final ApplicationEventPublisher events;

    /**
     * Announces changes.
     *
     * @param events takes the events
     */
    public SettingsAnnouncement(ApplicationEventPublisher events) {
        this.events = events;
    }

    @Override
    public void accept(SettingsReplacement changed) {
        StarterLog.info("retries of " + changed);
        RetrySettingsChanged event = new RetrySettingsChanged(changed.path(), changed.by(), changed.toString());
        // Wrapped here, so that listeners of a parent context, which receive it too, can see whose it is.
        events.publishEvent(new PayloadApplicationEvent<>(events, event));
    }
}
