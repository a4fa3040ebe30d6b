/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.actuate;

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
 *
 * @since 0.1.0
 */
public class RetryEventLog implements RetryListener {

    /** How many events are kept by default: 200. */
    public static final int DEFAULT_CAPACITY = 200;

    /** How many events can be kept at most: 100 000. */
    public static final int MAX_CAPACITY = 100_000;

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
     * @throws IllegalArgumentException if the capacity is below 1 or above {@link #MAX_CAPACITY}
     */
    public RetryEventLog(int capacity, boolean withMessages) {
        if (capacity < 1 || capacity > MAX_CAPACITY) {
            throw new IllegalArgumentException("is '" + capacity + "', but must be from 1 to " + MAX_CAPACITY);
        }
        this.ring = new AtomicReferenceArray<>(capacity);
        this.withMessages = withMessages;
    }

    @Override
    public void onEvent(RetryEvent event) {
        RetryEventDescription description = RetryEventDescription.of(event, withMessages ? message(event) : null);
        long number = next.getAndIncrement();
        ring.set((int) (number % ring.length()), new Entry(number, description));
    }

    /** The events that are kept, the newest first. */
    List<RetryEventDescription> newestFirst() {
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

    private record Entry(long number, RetryEventDescription event) {}
}
