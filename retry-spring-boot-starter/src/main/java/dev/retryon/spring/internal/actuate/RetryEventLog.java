// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keeps the latest events in memory, as text without errors and arguments. Thread-safe. */
final class RetryEventLog implements RetryListener {

    private static final int MESSAGE_LENGTH = 1000;

    private final Deque<RetryOnEventsEndpoint.Event> newestFirst = new ArrayDeque<>();

    private final int capacity;

    private final boolean withMessages;

    RetryEventLog(int capacity, boolean withMessages) {
        if (capacity < 1 || capacity > RetryOnEventsEndpoint.MAX_CAPACITY) {
            throw new IllegalArgumentException(
                    "is '" + capacity + "', but must be between 1 and " + RetryOnEventsEndpoint.MAX_CAPACITY);
        }
        this.capacity = capacity;
        this.withMessages = withMessages;
    }

    @Override
    public void onEvent(RetryEvent event) {
        RetryOnEventsEndpoint.Event description =
                RetryOnEventsEndpoint.Event.of(event, withMessages ? message(event) : null);
        synchronized (newestFirst) {
            if (newestFirst.size() == capacity) {
                newestFirst.removeLast();
            }
            newestFirst.addFirst(description);
        }
    }

    List<RetryOnEventsEndpoint.Event> newestFirst() {
        synchronized (newestFirst) {
            return List.copyOf(newestFirst);
        }
    }

    private static @Nullable String message(RetryEvent event) {
        Throwable error = event.error();
        String message;
        try {
            message = error == null ? null : error.getMessage();
        } catch (Throwable ex) {
            return null; // getMessage() can run application code; the event matters more than its message
        }
        return message == null || message.length() <= MESSAGE_LENGTH
                ? message
                : message.substring(0, MESSAGE_LENGTH) + "…";
    }
}
