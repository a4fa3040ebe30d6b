// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.RetryEngine;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Ends the waits of retried calls as soon as the context begins to close, before any grace period is spent on them, or when its
 * beans are destroyed because it could not start.
 */
final class RetryShutdown implements ApplicationListener<ContextClosedEvent>, DisposableBean {

    private final RetryEngine engine;

    private final ApplicationContext context;

    RetryShutdown(RetryEngine engine, ApplicationContext context) {
        this.engine = engine;
        this.context = context;
    }

    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        // A context's listeners also receive its children's events.
        if (event.getApplicationContext() == context) {
            engine.close();
        }
    }

    /** Closes the engine of a context that failed to start, because such a context publishes no event. */
    @Override
    public void destroy() {
        engine.close();
    }
}
