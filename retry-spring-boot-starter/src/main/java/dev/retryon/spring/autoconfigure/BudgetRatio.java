/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.settings.RetryFaults;
import dev.retryon.spring.settings.RetryWarning;
import java.math.BigDecimal;

/** Checks the ratio of a retry budget. A ratio above 1 allows more retries than calls, which is rarely meant. */
final class BudgetRatio {

    private BudgetRatio() {}

    /** Warns of a ratio that looks like a percentage. */
    static void check(String property, double ratio, RetryFaults faults) {
        if (ratio > 1 && ratio <= 1000) {
            BigDecimal written = BigDecimal.valueOf(ratio);
            faults.warn(RetryWarning.BUDGET_RATIO, property + " is " + plain(written) + ", which allows " + plain(written)
                    + " retries for each call (" + plain(written.movePointRight(2)) + " %); for " + plain(written)
                    + " % write " + plain(written.movePointLeft(2)));
        }
    }

    private static String plain(BigDecimal number) {
        return number.stripTrailingZeros().toPlainString();
    }
}
