/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.actuate;

import dev.retryon.spring.settings.StarterLog;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;

/** Logs what was done over an endpoint and who did it, and has it audited. */
final class ChangeAudit {

    private final ApplicationEventPublisher events;

    private final String what;

    private final String type;

    /** What is changed, in words, and the type of the audit events. */
    ChangeAudit(ApplicationEventPublisher events, String what, String type) {
        this.events = events;
        this.what = what;
        this.type = type;
    }

    void changed(@Nullable String by, String action, Map<String, Object> details) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("action", action);
        data.putAll(details);
        StarterLog.info(StarterLog.plain(what + " changed" + (by == null ? "" : " by " + by) + ": " + data));
        try {
            events.publishEvent(new AuditApplicationEvent(by == null ? "" : by, type, data));
        } catch (Throwable ex) {
            StarterLog.warn("a listener of audit events failed; the change of " + what + " stays", ex);
        }
    }
}
