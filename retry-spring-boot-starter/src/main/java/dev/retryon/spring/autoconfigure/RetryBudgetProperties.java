// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.budget.RetryBudget;
import dev.retryon.spring.module.RetryFaults;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A retry budget.
 *
 * @param ratio Number of retries allowed per call, 0 or more. For example, 0.2 allows one retry for every
 *     five calls.
 * @param minPerSecond Number of retries allowed per second even if calls are rare, 0 or more.
 * @param window How long unused retries are kept before they expire, from 1s to 1h.
 */
record RetryBudgetProperties(
        @Nullable Double ratio,
        @Nullable Integer minPerSecond,
        @Nullable Duration window) {

    RetryBudget.Builder toBuilder(String prefix, RetryFaults faults) {
        RetryBudget.Builder builder = RetryBudget.builder();
        set(prefix + ".ratio", ratio, builder::ratio, faults);
        set(prefix + ".min-per-second", minPerSecond, builder::minPerSecond, faults);
        set(prefix + ".window", window, builder::window, faults);
        return builder;
    }

    private static <T> void set(String property, @Nullable T value, Consumer<T> setter, RetryFaults faults) {
        try {
            if (value != null) {
                setter.accept(value);
            }
        } catch (IllegalArgumentException ex) {
            faults.add(property, String.valueOf(ex.getMessage()));
        }
    }
}
