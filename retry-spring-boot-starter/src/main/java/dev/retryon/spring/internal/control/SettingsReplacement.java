/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.control;

import dev.retryon.spring.RetrySettingsChanged;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A change of settings that was made while the application runs.
 *
 * @param before what held before for the same scope and name; {@code null} if nothing did
 * @param after the current change; {@code null} if it was reverted
 * @param by who did it; {@code null} if that is not known, or if its time was over
 */
record SettingsReplacement(
        @Nullable RuntimeChange before,
        @Nullable RuntimeChange after,
        @Nullable String by) {

    boolean isDifferent() {
        return !Objects.equals(before, after);
    }

    /** The path of the change below {@code /actuator/retryon}; empty for everything. */
    String path() {
        RuntimeChange either = either();
        return either == null ? "" : either.path();
    }

    RetrySettingsChanged event() {
        return new RetrySettingsChanged(path(), by, toString());
    }

    /** The change, of which target and scope are asked; {@code null} if there was none and is none. */
    private @Nullable RuntimeChange either() {
        return after != null ? after : before;
    }

    @Override
    public String toString() {
        String what = path().isEmpty() ? "all methods" : path();
        RuntimeChange either = either();
        String who = (either != null && either.shared() ? " for all nodes" : "") + (by == null ? "" : " by " + by);
        if (after == null) {
            return what + ": changes reverted" + who;
        }
        return what + ": changed" + who + " to " + print(after)
                + (after.until() == null ? "" : " until " + after.until());
    }

    private static String print(RuntimeChange change) {
        return change.settings().texts().entrySet().stream()
                .map(Map.Entry::toString)
                .collect(Collectors.joining(", "));
    }
}
