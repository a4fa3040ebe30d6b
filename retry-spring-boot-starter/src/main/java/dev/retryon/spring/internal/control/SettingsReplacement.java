// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.control;

import dev.retryon.spring.RetrySettingsChanged;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A change of the settings of a target while the application runs.
 *
 * @param before the previous change; {@code null} for none
 * @param after the current change; {@code null} if it was reverted
 * @param by the user; {@code null} if not known, or if the change has expired
 */
record SettingsReplacement(
        RuntimeChange.Target target,
        @Nullable RuntimeChange before,
        @Nullable RuntimeChange after,
        @Nullable String by) {

    boolean isDifferent() {
        return !Objects.equals(before, after);
    }

    RetrySettingsChanged event() {
        return new RetrySettingsChanged(target.path(), by, toString());
    }

    @Override
    public String toString() {
        String what = target.path().isEmpty() ? "all methods" : target.path();
        String who = (target.shared() ? " for all nodes" : "") + (by == null ? "" : " by " + by);
        if (after == null) {
            return what + ": changes reverted" + who;
        }
        String settings = after.settings().texts().entrySet().stream()
                .map(Map.Entry::toString)
                .collect(Collectors.joining(", "));
        return what + ": changed" + who + " to " + settings + (after.until() == null ? "" : " until " + after.until());
    }
}
