/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.budget.RetryBudget;
import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.report.RetryWarning;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads the retry budgets. A ratio above 1 allows more retries than calls, which is rarely meant. */
final class ConfiguredBudgets {

    private ConfiguredBudgets() {}

    static Map<String, RetryBudget.Builder> builders(Map<String, RetryProperties.Budget> budgets, RetryFaults faults) {
        Map<String, RetryBudget.Builder> builders = new LinkedHashMap<>();
        for (Map.Entry<String, RetryProperties.Budget> entry : budgets.entrySet()) {
            RetryProperties.Budget budget = entry.getValue();
            String source = "retryon.budgets." + entry.getKey();
            RetryBudget.Builder builder = RetryBudget.builder();
            check(source + ".ratio", faults, () -> builder.ratio(budget.getRatio()));
            checkRatio(source + ".ratio", budget.getRatio(), faults);
            check(source + ".min-per-second", faults, () -> builder.minPerSecond(budget.getMinPerSecond()));
            check(source + ".window", faults, () -> builder.window(budget.getWindow()));
            builders.put(entry.getKey(), builder);
        }
        return builders;
    }

    private static void check(String property, RetryFaults faults, Runnable setting) {
        try {
            setting.run();
        } catch (IllegalArgumentException ex) {
            faults.add(property, String.valueOf(ex.getMessage()));
        }
    }

    /** Warns of a ratio that looks like a percentage. */
    private static void checkRatio(String property, double ratio, RetryFaults faults) {
        if (ratio > 1 && ratio <= 1000) {
            BigDecimal written = BigDecimal.valueOf(ratio);
            faults.warn(
                    RetryWarning.BUDGET_RATIO,
                    property + " is " + plain(written) + ", which allows " + plain(written)
                            + " retries for each call (" + plain(written.movePointRight(2)) + " %); for "
                            + plain(written)
                            + " % write " + plain(written.movePointLeft(2)));
        }
    }

    private static String plain(BigDecimal number) {
        return number.stripTrailingZeros().toPlainString();
    }
}
