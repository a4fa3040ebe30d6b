// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import dev.retryon.spring.RetrySettingsChanged;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.core.Ordered;

/** Publishes an audit event for each change of settings. */
public final class SettingsAudit
        implements ApplicationListener<PayloadApplicationEvent<RetrySettingsChanged>>, Ordered {

    public static final String TYPE = "RETRYON_SETTINGS_CHANGED";

    private final ApplicationEventPublisher events;

    public SettingsAudit(ApplicationEventPublisher events) {
        this.events = events;
    }

    /** Returns the highest precedence, so that this listener runs before the application's listeners, which can fail. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public void onApplicationEvent(PayloadApplicationEvent<RetrySettingsChanged> event) {
        if (event.getSource() != events) {
            // Events of a child context also reach this context, which must not record them twice.
            return;
        }
        RetrySettingsChanged changed = event.getPayload();
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("path", changed.path());
        data.put("change", changed.description());
        events.publishEvent(new AuditApplicationEvent(changed.by() == null ? "" : changed.by(), TYPE, data));
    }
}
