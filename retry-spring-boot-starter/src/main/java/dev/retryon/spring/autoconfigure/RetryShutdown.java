/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.RetryEngine;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

/** Ends the waits of retried calls as soon as the context begins to close, before any grace period is spent on them. */
final class RetryShutdown implements ApplicationListener<ContextClosedEvent> {

    private final RetryEngine engine;

    private final ApplicationContext context;

    RetryShutdown(RetryEngine engine, ApplicationContext context) {
        this.engine = engine;
        this.context = context;
    }

    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        // The end of a child context is told here too.
        if (event.getApplicationContext() == context) {
            engine.close();
        }
    }
}
