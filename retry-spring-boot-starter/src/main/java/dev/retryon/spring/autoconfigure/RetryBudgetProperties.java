// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.budget.RetryBudget;
import dev.retryon.spring.internal.report.RetryFaults;
import java.time.Duration;

/** A retry budget. */
class RetryBudgetProperties {

    /** Retries allowed per call, 0 or more: 0.2 allows one retry for five calls. */
    private double ratio = RetryBudget.DEFAULT_RATIO;

    /** Retries allowed per second even if there are few calls, 0 or more. */
    private int minPerSecond = RetryBudget.DEFAULT_MIN_PER_SECOND;

    /** How long unused retries are kept before they expire, from 1s to 1h. */
    private Duration window = RetryBudget.DEFAULT_WINDOW;

    public double getRatio() {
        return ratio;
    }

    public void setRatio(double ratio) {
        this.ratio = ratio;
    }

    public int getMinPerSecond() {
        return minPerSecond;
    }

    public void setMinPerSecond(int minPerSecond) {
        this.minPerSecond = minPerSecond;
    }

    public Duration getWindow() {
        return window;
    }

    public void setWindow(Duration window) {
        this.window = window;
    }

    RetryBudget.Builder toBuilder(String prefix, RetryFaults faults) {
        RetryBudget.Builder builder = RetryBudget.builder();
        check(prefix + ".ratio", faults, () -> builder.ratio(ratio));
        check(prefix + ".min-per-second", faults, () -> builder.minPerSecond(minPerSecond));
        check(prefix + ".window", faults, () -> builder.window(window));
        return builder;
    }

    private static void check(String property, RetryFaults faults, Runnable setting) {
        try {
            setting.run();
        } catch (IllegalArgumentException ex) {
            faults.add(property, String.valueOf(ex.getMessage()));
        }
    }
}
