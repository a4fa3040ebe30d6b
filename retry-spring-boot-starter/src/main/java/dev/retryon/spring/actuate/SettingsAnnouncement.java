/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.actuate;

import dev.retryon.spring.RetrySettingsChanged;
import dev.retryon.spring.method.RuntimeSettings;
import dev.retryon.spring.settings.StarterLog;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Tells of changes of settings: a line in the log, an entry in the audit, an event for the application.
 *
 * @since 0.1.0
 */
public final class SettingsAnnouncement implements Consumer<RuntimeSettings.Changed> {

    private final ApplicationEventPublisher events;

    /**
     * Tells of changes.
     *
     * @param events takes the events
     */
    public SettingsAnnouncement(ApplicationEventPublisher events) {
        this.events = events;
    }

    @Override
    public void accept(RuntimeSettings.Changed changed) {
        StarterLog.info("retries of " + changed);
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("path", changed.path());
        data.put("change", changed.toString());
        events.publishEvent(
                new AuditApplicationEvent(changed.by() == null ? "" : changed.by(), "RETRYON_SETTINGS_CHANGED", data));
        events.publishEvent(new RetrySettingsChanged(changed.path(), changed.by(), changed.toString()));
    }
}
