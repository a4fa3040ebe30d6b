// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

/**
 * Receives the events of calls that are retried or fail. A call that succeeds at its first attempt publishes no event.
 * Listeners run on the thread of the call, so they must be thread-safe and fast. An exception of a listener is logged
 * and has no effect on the call. A listener can run retried calls. It does not receive the events of calls that it
 * starts on its own thread, but other listeners do.
 *
 * <pre>{@code
 * RetryEngine engine = RetryEngine.builder()
 *     .listener(event -> {
 *         if (event instanceof RetryFailed failed) {
 *             alerts.send(failed.name(), failed.reason());
 *         }
 *     })
 *     .build();
 * }</pre>
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RetryListener {

    /**
     * Receives an event of a call that was retried or failed.
     *
     * @param event a {@link RetryScheduled}, {@link RetrySucceeded}, {@link RetryFailed} or {@link DeadLettered}
     */
    void onEvent(RetryEvent event);
}
