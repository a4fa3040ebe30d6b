// SPDX-License-Identifier: Apache-2.0
package dev.retryon.stress;

import dev.retryon.budget.RetryBudget;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/** Two calls compete for a budget's only token while time stands still. */
@JCStressTest
@Outcome(
        id = {"true, false, 1", "false, true, 1"},
        expect = Expect.ACCEPTABLE,
        desc = "one of the two calls gets the token")
@Outcome(
        expect = Expect.FORBIDDEN,
        desc = "a token that was lost or given out twice, or a denial that was not counted")
@State
public class BudgetStress {

    private final RetryBudget budget =
            RetryBudget.builder().ratio(1).minPerSecond(0).ticker(() -> 0L).build();

    public BudgetStress() {
        while (budget.tokens() >= 1) {
            budget.withdraw();
        }
        budget.deposit();
    }

    @Actor
    public void one(ZZI_Result result) {
        result.r1 = budget.withdraw();
    }

    @Actor
    public void other(ZZI_Result result) {
        result.r2 = budget.withdraw();
    }

    @Arbiter
    public void denied(ZZI_Result result) {
        result.r3 = (int) budget.denied();
    }
}
