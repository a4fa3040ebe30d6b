/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.actuate;

import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the latest events in memory, for the endpoint: a ring that the newest event is written into in place of the
 * oldest. Keeps text only, neither errors nor arguments. Thread-safe and lock-free.
 */
final class RetryEventLog implements RetryListener {

    /** So much of a message is kept. */
    private static final int MESSAGE_LENGTH = 1000;

    private final AtomicReferenceArray<@Nullable Entry> ring;

    private final AtomicLong next = new AtomicLong();

    private final boolean withMessages;

    /**
     * Creates an empty log.
     *
     * @param capacity how many events are kept
     * @param withMessages whether messages of errors are kept too
     * @throws IllegalArgumentException if the capacity is below 1 or above {@link RetryOnEventsEndpoint#MAX_CAPACITY}
     */
    RetryEventLog(int capacity, boolean withMessages) {
        if (capacity < 1 || capacity > RetryOnEventsEndpoint.MAX_CAPACITY) {
            throw new IllegalArgumentException(
                    "is '" + capacity + "', but must be from 1 to " + RetryOnEventsEndpoint.MAX_CAPACITY);
        }
        this.ring = new AtomicReferenceArray<>(capacity);
        this.withMessages = withMessages;
    }

    @Override
    public void onEvent(RetryEvent event) {
        RetryOnEventsEndpoint.Event description =
                RetryOnEventsEndpoint.Event.of(event, withMessages ? message(event) : null);
        long number = next.getAndIncrement();
        ring.set((int) (number % ring.length()), new Entry(number, description));
    }

    /** The events that are kept, the newest first. */
    List<RetryOnEventsEndpoint.Event> newestFirst() {
        List<Entry> entries = new ArrayList<>(ring.length());
        for (int i = 0; i < ring.length(); i++) {
            Entry entry = ring.get(i);
            if (entry != null) {
                entries.add(entry);
            }
        }
        entries.sort(Comparator.comparingLong(Entry::number).reversed());
        return entries.stream().map(Entry::event).toList();
    }

    /** The message of an error; asking for it runs code of the user's. */
    private static @Nullable String message(RetryEvent event) {
        Throwable error = event.error();
        String message;
        try {
            message = error == null ? null : error.getMessage();
        } catch (Throwable ex) {
            return null; // the event matters more than its message
        }
        return message == null || message.length() <= MESSAGE_LENGTH
                ? message
                : message.substring(0, MESSAGE_LENGTH) + "…";
    }

    private record Entry(long number, RetryOnEventsEndpoint.Event event) {}
}
