package dev.retryon.spring.observe;

import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes every {@link RetryEvent} as an application event, so that {@code @EventListener void on(RetryFailed event)}
 * hears it. The context keeps a table of who listens to which type of event, so an event that nobody listens to costs a
 * look into that table and reaches no one.
 */
public class RetryEventPublisher implements RetryListener {

    private final ApplicationEventPublisher publisher;

    /**
     * Creates the listener.
     *
     * @param publisher the application's context
     */
    public RetryEventPublisher(ApplicationEventPublisher publisher) {
        this.publisher = publisher;
    }

    @Override
    public void onEvent(RetryEvent event) {
        publisher.publishEvent(event);
    }
}
