// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

/**
 * Receives the events of calls that are retried or fail. A call that succeeds immediately publishes none. Listeners run
 * on the thread of the call, so they must be thread-safe and fast. An exception of a listener is logged and has no
 * effect on the call. A listener can run retried calls. It receives no events of the calls that it starts on its
 * thread; other listeners receive them.
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
     * Receives an event.
     *
     * @param event a {@link RetryScheduled}, {@link RetrySucceeded}, {@link RetryFailed} or {@link DeadLettered}
     */
    void onEvent(RetryEvent event);
}
