/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.control;

import dev.retryon.spring.RetrySettingsChanged;
import dev.retryon.spring.internal.policy.MethodUpdates;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The changes that hold. Others take their place at one moment. Thread-safe.
 *
 * <p>A change is prepared without a lock, because that may look up beans: a thread that creates a bean holds Spring's
 * lock and waits here.
 */
final class CurrentChanges {

    private final SettingsAnnouncement announcement;

    /** Held while a change takes effect. Nothing of the application runs then: it could wait for other locks. */
    private final Object monitor = new Object();

    private volatile State state = new State(List.of());

    CurrentChanges(SettingsAnnouncement announcement) {
        this.announcement = announcement;
    }

    /**
     * The changes of a while. There is another one of these whenever anything has changed, properties too.
     *
     * @param changes the weakest first
     */
    record State(List<RuntimeChange> changes) {}

    /**
     * Changes that take effect at the same moment.
     *
     * @param update changes methods; {@code null} for no change
     * @param event announces it; {@code null} for nothing to announce
     * @param source what the effect was made of
     */
    record Effect<T>(
            State state,
            MethodUpdates.@Nullable Update update,
            @Nullable RetrySettingsChanged event,
            T source) {}

    State state() {
        return state;
    }

    /** Applies changes and returns what they were made of. */
    <T> T apply(Function<State, Effect<T>> prepare) {
        return Objects.requireNonNull(applyIf(() -> true, prepare));
    }

    /**
     * Applies changes and returns what they were made of. They are prepared again if anything else was changed
     * meanwhile. Their event is published later.
     *
     * @param isLatest asked with a lock held: whether they still are to take effect
     * @param prepare makes the effect for a state
     * @return {@code null} if they are not to take effect
     */
    <T> @Nullable T applyIf(BooleanSupplier isLatest, Function<State, Effect<T>> prepare) {
        while (true) {
            State seen = state;
            Effect<T> effect = prepare.apply(seen);
            synchronized (monitor) {
                if (isCurrent(seen)) {
                    if (!isLatest.getAsBoolean()) {
                        return null;
                    }
                    putInForce(effect);
                    return effect.source();
                }
            }
        }
    }

    @SuppressWarnings("ReferenceEquality") // an equal state may be older
    private boolean isCurrent(State seen) {
        return state == seen;
    }

    private void putInForce(Effect<?> effect) {
        // The state last: who sees the new one sees the properties that belong to it.
        if (effect.update() != null) {
            effect.update().putInForce();
        }
        state = effect.state();
        announcement.add(effect.event());
    }
}
