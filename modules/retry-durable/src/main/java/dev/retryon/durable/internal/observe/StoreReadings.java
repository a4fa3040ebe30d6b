// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.observe;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.durable.internal.call.DurableCalls;
import dev.retryon.durable.internal.call.LaneState;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.store.Reading;
import dev.retryon.spring.module.ExtensionErrors;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of stored calls and dead letters, for meters and health. The numbers can be a few seconds old. A store that
 * hangs or fails delays a caller for a second at most. A failure is counted and logged once. Thread-safe.
 */
public final class StoreReadings {

    private final Reading<List<CallStore.Total>> letters;

    private final Reading<Map<String, LaneState>> lanes;

    private final Reading<List<CallEngine.Backlog>> unresolved;

    private final Reading<List<CallStore.Blocked>> ordered;

    private final Supplier<DurableCalls> durable;

    private final BooleanSupplier closing;

    private final ExtensionErrors errors;

    /** Creates readings. They look the store up only on request, and not while the application is shutting down. */
    public StoreReadings(
            Supplier<CallStore> letters,
            Supplier<DurableCalls> durable,
            BooleanSupplier closing,
            ExtensionErrors errors) {
        this.durable = durable;
        this.closing = closing;
        this.errors = errors;
        this.letters = reading(() -> letters.get().totals(), "dead letters could not be counted");
        this.lanes = reading(() -> LaneState.all(durable.get()), "the lanes of running processes could not be read");
        this.ordered = reading(() -> List.of(letters.get().blocked()), "blocked calls could not be counted");
        this.unresolved = reading(
                () -> List.of(durable.get().unresolved()),
                "calls whose method does not exist in any process could not be counted");
    }

    /**
     * Returns the waiting calls whose method no running process has, or an empty value if the store does not respond.
     * The return type is one of the JDK for the same reason as in {@link #calls}.
     */
    public Optional<CallEngine.Backlog> unresolved() {
        List<CallEngine.Backlog> read = unresolved.get();
        return read == null ? Optional.empty() : read.stream().findFirst();
    }

    /** Returns the calls that wait for another call with their order key, or an empty value if the store does not respond. */
    public Optional<CallStore.Blocked> ordered() {
        List<CallStore.Blocked> read = ordered.get();
        return read == null ? Optional.empty() : read.stream().findFirst();
    }

    @SuppressWarnings("NullAway") // a reading drops null
    private <T> Reading<T> reading(Callable<T> source, String failure) {
        return new Reading<>(
                () -> () -> closing.getAsBoolean() ? null : source.call(),
                ex -> errors.report(ExtensionErrorListener.Kind.STORE, ExtensionErrorListener.ANY, failure, ex));
    }

    /** Returns the totals of dead letters, one for each possible state, or {@code null} if the store does not respond. */
    public @Nullable List<CallStore.Total> letters() {
        return letters.get();
    }

    /**
     * Returns the waiting durable calls by lane of this process, or {@code null} if the store does not respond. The
     * return type is one of the JDK, because code that inspects beans loads the return types of their methods, and many
     * applications have no engine.
     */
    public @Nullable Map<String, CallEngine.Backlog> calls() {
        return closing.getAsBoolean() ? null : durable.get().backlog();
    }

    /** Returns the states of this process's lanes of durable calls, or {@code null} if the store does not respond. */
    public @Nullable Map<String, LaneState> lanes() {
        return lanes.get();
    }

    /** Returns the age of this process's longest-running attempt of a durable call, or zero if none is running. */
    public Duration longestAttempt() {
        return durable.get().longestAttempt();
    }

    /** Returns the number of calls with a name that this process did not store because of their unique key. */
    public long duplicates(String name) {
        return durable.get().duplicates(name);
    }
}
