/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.control;

import dev.retryon.spring.RetrySettingsChanged;
import dev.retryon.spring.internal.policy.MethodUpdates;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The changes that hold. Others take their place at one moment, unless anything was changed since they were prepared.
 * Thread-safe.
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
     * @param isLatest whether it still is to take effect
     */
    record Effect(
            State state,
            MethodUpdates.@Nullable Update update,
            @Nullable RetrySettingsChanged event,
            BooleanSupplier isLatest) {}

    enum Outcome {
        IN_FORCE,
        /** Something else was changed since it was prepared. */
        OUTDATED,
        /** Cancels the changes, so that they do not take effect. */
        OVERTAKEN
    }

    State state() {
        return state;
    }

    /** Applies changes that were prepared for a state, if that state is still current. Their event is published later. */
    @SuppressWarnings("ReferenceEquality") // an equal state may be older
    Outcome publish(State seen, Effect effect) {
        synchronized (monitor) {
            if (state != seen) {
                return Outcome.OUTDATED;
            }
            if (!effect.isLatest().getAsBoolean()) {
                return Outcome.OVERTAKEN;
            }
            // The state last: who sees the new one sees the properties that belong to it.
            if (effect.update() != null) {
                effect.update().putInForce();
            }
            state = effect.state();
            announcement.add(effect.event());
            return Outcome.IN_FORCE;
        }
    }
}
