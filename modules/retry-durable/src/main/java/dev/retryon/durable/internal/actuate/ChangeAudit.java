// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import dev.retryon.spring.module.StarterLog;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;

/** Logs and audits changes that users make to stored data over an endpoint, with the name of the user. */
final class ChangeAudit {

    private final ApplicationEventPublisher events;

    private final String what;

    private final String type;

    ChangeAudit(ApplicationEventPublisher events, String what, String type) {
        this.events = events;
        this.what = what;
        this.type = type;
    }

    void changed(@Nullable String by, String action, Map<String, Object> details) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("action", action);
        data.putAll(details);
        String text = data.entrySet().stream().map(Object::toString).collect(Collectors.joining(", "));
        StarterLog.info(StarterLog.plain(what + " changed" + (by == null ? "" : " by " + by) + ": " + text));
        try {
            events.publishEvent(new AuditApplicationEvent(by == null ? "" : by, type, data));
        } catch (Throwable ex) {
            StarterLog.warn(
                    "a listener for audit events threw an exception; the change of " + what + " remains in effect", ex);
        }
    }
}
