/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.call;

import java.time.Duration;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The stored calls that this process runs attempts of. Thread-safe. */
final class HeldCalls {

    /** The stored call that a thread runs an attempt of. It is removed when the attempt ends. */
    @SuppressWarnings("ThreadLocalUsage")
    private final ThreadLocal<@Nullable HeldCall> held = new ThreadLocal<>();

    private final Set<HeldCall> running = ConcurrentHashMap.newKeySet();

    /** Starts an attempt on this thread. */
    void begin(HeldCall call) {
        held.set(call);
        running.add(call);
    }

    /** Ends the attempt on this thread. */
    void end(HeldCall call) {
        running.remove(call);
        held.remove();
    }

    /** The call with this id, if this thread runs an attempt of it. */
    @Nullable HeldCall ofThread(String callId) {
        HeldCall call = held.get();
        return call != null && call.lease().id().equals(callId) ? call : null;
    }

    /** How long the longest attempt has run; zero if none runs. */
    Duration longest() {
        Duration longest = longest(running.stream());
        return longest == null ? Duration.ZERO : longest;
    }

    /** How long the attempt of a call has run; {@code null} if none runs. */
    @Nullable Duration age(String callId) {
        return longest(running.stream().filter(call -> call.lease().id().equals(callId)));
    }

    private static @Nullable Duration longest(Stream<HeldCall> calls) {
        return calls.map(HeldCall::age).max(Comparator.naturalOrder()).orElse(null);
    }
}
