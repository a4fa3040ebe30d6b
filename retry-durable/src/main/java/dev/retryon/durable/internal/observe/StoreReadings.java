/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.observe;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.durable.CallEngine;
import dev.retryon.durable.internal.call.DurableCalls;
import dev.retryon.durable.internal.call.LaneState;
import dev.retryon.spring.internal.report.ExtensionErrors;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How many calls are kept, for meters and health: numbers that are a few seconds old at most, or none. A store that hangs or
 * fails delays no caller for more than a second; that it fails is counted, and logged once. Thread-safe.
 */
public final class StoreReadings {

    private final Reading<List<DeadLetterStore.Total>> letters;

    private final Reading<Map<String, CallEngine.Backlog>> calls;

    private final Reading<Map<String, LaneState>> lanes;

    private final Supplier<DurableCalls> durable;

    private final ExtensionErrors faults;

    /**
     * Creates readings. Nothing is looked up before a reading is asked for.
     *
     * @param closing whether the application is shutting down; nothing is read then
     */
    public StoreReadings(
            Supplier<DeadLetterStore> letters,
            Supplier<CallEngine> calls,
            Supplier<DurableCalls> durable,
            BooleanSupplier closing,
            ExtensionErrors faults) {
        this.durable = durable;
        this.faults = faults;
        this.letters = reading(closing, () -> letters.get().totals(), "dead letters could not be counted");
        this.calls = reading(closing, () -> calls.get().backlog(), "waiting durable calls could not be counted");
        this.lanes = reading(
                closing, () -> LaneState.all(durable.get()), "the lanes of running processes could not be read");
    }

    @SuppressWarnings("NullAway") // a reading drops null
    private <T> Reading<T> reading(BooleanSupplier closing, Callable<T> source, String failure) {
        return new Reading<>(
                () -> closing.getAsBoolean() ? null : source.call(),
                ex -> faults.report(ExtensionErrors.Kind.STORE, ExtensionErrorListener.ANY, failure, ex));
    }

    /** The dead letters by status: one total for each status that a dead letter has; {@code null} if the store does not answer. */
    public @Nullable List<DeadLetterStore.Total> letters() {
        return letters.get();
    }

    /**
     * The durable calls that wait, by lane: how many, and since when; {@code null} if the store does not answer.
     * The return type is one of the JDK, because code that inspects the methods of beans loads their return types, and many
     * applications have no engine.
     */
    public @Nullable Map<String, CallEngine.Backlog> calls() {
        return calls.get();
    }

    /** The states of the lanes of durable calls in this process; {@code null} if the store does not answer. */
    public @Nullable Map<String, LaneState> lanes() {
        return lanes.get();
    }

    /** How long the longest attempt of a durable call has run that this process runs; zero if it runs none. */
    public Duration longestAttempt() {
        return durable.get().longestAttempt();
    }

    /** How many calls of methods with a name this process has not stored, because a call with the same unique key was. */
    public long duplicates(String name) {
        return durable.get().duplicates(name);
    }
}
