/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.test;

import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.AssertProvider;

/**
 * What was retried, or failed, since the context started or {@link #clear()} was called. A call that succeeds at once
 * leaves nothing here. Give it to AssertJ's {@code assertThat}. Thread-safe.
 */
public final class RecordedRetries implements RetryListener, AssertProvider<RecordedRetriesAssert> {

    private final VirtualTime time = new VirtualTime();

    private final Map<String, RecordedCall> calls = new LinkedHashMap<>();

    RecordedRetries() {}

    VirtualTime time() {
        return time;
    }

    @Override
    public synchronized void onEvent(RetryEvent event) {
        calls.computeIfAbsent(event.callId(), id -> new RecordedCall(event.name()))
                .add(event);
    }

    /**
     * The calls of a name.
     *
     * @param name the name, such as {@code PaymentService.charge}
     * @return in the order of their first failures
     */
    public synchronized List<RecordedCall> calls(String name) {
        return calls.values().stream().filter(call -> call.name().equals(name)).toList();
    }

    /**
     * All calls.
     *
     * @return in the order of their first failures
     */
    public synchronized List<RecordedCall> calls() {
        return List.copyOf(calls.values());
    }

    /** Forgets everything, between tests that share a context. */
    public synchronized void clear() {
        calls.clear();
    }

    /**
     * Lets virtual time pass, as if an attempt had taken so long: elapsed times and time limits count it.
     *
     * @param duration how much, not negative
     */
    public void advance(Duration duration) {
        time.advance(duration);
    }

    @Override
    public RecordedRetriesAssert assertThat() {
        return new RecordedRetriesAssert(this);
    }

    @Override
    public String toString() {
        return calls().toString();
    }
}
