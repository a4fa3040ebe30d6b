package dev.retryon;

/**
 * Is told what happens to calls that are retried or fail; a call that succeeds at once is silent. Called on the thread
 * that runs the call, so it must be thread-safe and quick. A listener that throws is logged and changes nothing.
 */
@FunctionalInterface
public interface RetryListener {

    /**
     * Takes one event.
     *
     * @param event a {@link RetryScheduled}, {@link RetrySucceeded} or {@link RetryFailed}
     */
    void onEvent(RetryEvent event);
}
