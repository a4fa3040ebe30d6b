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
import org.springframework.context.ApplicationContext;

/**
 * Publishes every {@link RetryEvent} as an application event, so that {@code @EventListener void on(RetryFailed event)}
 * hears it. A type of event that nobody in the context or its parents listens to is not published.
 */
public class RetryEventPublisher implements RetryListener {

    private final ApplicationContext context;

    private final ApplicationListeners ofScheduled;

    private final ApplicationListeners ofSucceeded;

    private final ApplicationListeners ofFailed;

    /**
     * Creates the listener.
     *
     * @param context the application's context
     */
    public RetryEventPublisher(ApplicationContext context) {
        this.context = context;
        this.ofScheduled = new ApplicationListeners(context, RetryScheduled.class);
        this.ofSucceeded = new ApplicationListeners(context, RetrySucceeded.class);
        this.ofFailed = new ApplicationListeners(context, RetryFailed.class);
    }

    @Override
    public boolean wants(Class<? extends RetryEvent> type) {
        return (type == RetryScheduled.class ? ofScheduled : type == RetryFailed.class ? ofFailed : ofSucceeded)
                .exist();
    }

    @Override
    public void onEvent(RetryEvent event) {
        context.publishEvent(event);
    }
}
