// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

/**
 * Receives the events of calls that are retried or fail. A call that succeeds at once publishes none. Listeners run
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

    /**
     * Returns whether this listener currently needs events of a type. The engine calls this method before each event,
     * on the thread of the call. Return {@code false} for types that you ignore, because an event that no listener
     * needs is not created.
     *
     * @param type the class of the event
     * @return {@code true} (the default) to receive them, {@code false} to ignore them
     */
    default boolean wants(Class<? extends RetryEvent> type) {
        return true;
    }
}
