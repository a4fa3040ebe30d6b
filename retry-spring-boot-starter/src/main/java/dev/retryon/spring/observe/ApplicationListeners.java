/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.observe;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.AbstractApplicationEventMulticaster;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.ResolvableType;

/** Knows whether anybody in a context or its parents listens to a type of event at this moment. */
final class ApplicationListeners {

    private final ApplicationContext context;

    private final Class<?> type;

    /** Those of the context and its parents; {@code null} until they can be asked. */
    private volatile @Nullable List<ListenerTable> tables;

    ApplicationListeners(ApplicationContext context, Class<?> type) {
        this.context = context;
        this.type = type;
    }

    /** Whether there are any, or it can't be told. */
    boolean exist() {
        List<ListenerTable> asked = tables;
        if (asked == null) {
            asked = tables();
            tables = asked;
        }
        if (asked == null) {
            return true;
        }
        for (int i = 0; i < asked.size(); i++) {
            if (asked.get(i).mayNameSomebody()) {
                return true;
            }
        }
        return false;
    }

    private @Nullable List<ListenerTable> tables() {
        List<ListenerTable> found = new ArrayList<>();
        for (ApplicationContext next = context; next != null; next = next.getParent()) {
            if (!next.containsLocalBean(AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME)
                    || !(next.getBean(
                                    AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME,
                                    ApplicationEventMulticaster.class)
                            instanceof AbstractApplicationEventMulticaster multicaster)) {
                return null;
            }
            // As the context would publish it, but for the payload itself.
            found.add(new ListenerTable(
                    multicaster, new PayloadApplicationEvent<>(next, type, ResolvableType.forClass(type))));
        }
        return List.copyOf(found);
    }
}
