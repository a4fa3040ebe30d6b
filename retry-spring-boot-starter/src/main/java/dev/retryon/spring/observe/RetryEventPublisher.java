/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.observe;

import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryListener;
import dev.retryon.RetryScheduled;
import dev.retryon.RetrySucceeded;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.ResolvableType;

/**
 * Publishes every {@link RetryEvent} as an application event, so that {@code @EventListener void on(RetryFailed event)}
 * receives it, in the context or one of its parents. The events go to the multicasters of the contexts, which know at any
 * moment who listens to a type: an event that nobody listens to reaches nobody and costs little.
 *
 * @since 0.1.0
 */
public class RetryEventPublisher implements RetryListener {

    private final ApplicationContext context;

    private final Published ofScheduled = Published.of(RetryScheduled.class);

    private final Published ofSucceeded = Published.of(RetrySucceeded.class);

    private final Published ofFailed = Published.of(RetryFailed.class);

    /** Those of the context and its parents; {@code null} until each has one. */
    private volatile @Nullable List<ApplicationEventMulticaster> multicasters;

    /**
     * Creates the listener.
     *
     * @param context the application's context
     */
    public RetryEventPublisher(ApplicationContext context) {
        this.context = context;
    }

    @Override
    public void onEvent(RetryEvent event) {
        List<ApplicationEventMulticaster> known = multicasters;
        if (known == null) {
            known = multicasters();
            multicasters = known;
        }
        if (known == null) {
            // The context is not that far yet and keeps the event for later.
            context.publishEvent(event);
            return;
        }
        // What the context itself would publish, of types that are resolved once instead of for each event.
        Published types = types(event);
        PayloadApplicationEvent<RetryEvent> published = new PayloadApplicationEvent<>(context, event, types.payload());
        for (int i = 0; i < known.size(); i++) {
            known.get(i).multicastEvent(published, types.event());
        }
    }

    private Published types(RetryEvent event) {
        if (event instanceof RetryScheduled) {
            return ofScheduled;
        }
        return event instanceof RetryFailed ? ofFailed : ofSucceeded;
    }

    private @Nullable List<ApplicationEventMulticaster> multicasters() {
        List<ApplicationEventMulticaster> found = new ArrayList<>();
        for (ApplicationContext next = context; next != null; next = next.getParent()) {
            if (!next.containsLocalBean(AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME)) {
                return null;
            }
            found.add(next.getBean(
                    AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME,
                    ApplicationEventMulticaster.class));
        }
        return List.copyOf(found);
    }

    /**
     * The types of a published event.
     *
     * @param payload the type of the retry event
     * @param event the type of the application event around it
     */
    private record Published(ResolvableType payload, ResolvableType event) {

        static Published of(Class<? extends RetryEvent> type) {
            return new Published(
                    ResolvableType.forClass(type),
                    ResolvableType.forClassWithGenerics(PayloadApplicationEvent.class, type));
        }
    }
}
