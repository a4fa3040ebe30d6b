// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.retryon.budget.RetryBudget;
import dev.retryon.spring.RetryFault;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Budgets by name: who shares one, what observers are told, and what becomes of them when properties change. */
class RetryBudgetsTests {

    private final RetryBudgets budgets =
            new RetryBudgets(Map.of("stock", RetryBudget.builder().ratio(0.5)));

    @Test
    void allWhoNameABudgetShareItAndEachMethodHasItsOwn() {
        RetryBudget shared = budgets.shared("stock");

        assertThat(shared.ratio()).isEqualTo(0.5);
        assertThat(budgets.shared("stock")).isSameAs(shared);
        assertThat(budgets.own("stock", "Stock.load")).isNotSameAs(shared).isSameAs(budgets.own("stock", "Stock.load"));
        assertThat(budgets.own("stock", "stock")).isNotSameAs(shared);
        assertThat(budgets.shared("default").ratio()).isEqualTo(RetryBudget.DEFAULT_RATIO);
    }

    @Test
    void aBudgetThatIsNotConfiguredIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> budgets.shared("stok"))
                .withMessage("must be 'default' or one of the budgets under retryon.budgets: stock");
    }

    @Test
    void observersAreToldOfBudgetsThatAreThereAndOfThoseThatAreMade() {
        budgets.shared("stock");
        List<String> told = new ArrayList<>();

        budgets.observe((label, budget) -> told.add(label));
        assertThat(told).containsExactly("stock");

        budgets.own("stock", "Stock.load");
        budgets.own("stock", "stock");
        budgets.own("stock", "default");
        budgets.own("stock", "stock");
        assertThat(told).containsExactly("stock", "Stock.load", "stock (own)", "default (own)");
    }

    @Test
    void changedBudgetsKeepTheirPlace() {
        RetryBudget shared = budgets.shared("stock");
        RetryBudget own = budgets.own("stock", "Stock.load");
        RetryBudget byDefault = budgets.shared("default");

        budgets.become(Map.of("stock", RetryBudget.builder().ratio(0.1)));

        assertThat(budgets.shared("stock")).isSameAs(shared);
        assertThat(shared.ratio()).isEqualTo(0.1);
        assertThat(own.ratio()).isEqualTo(0.1);
        assertThat(byDefault.ratio()).isEqualTo(RetryBudget.DEFAULT_RATIO);
    }

    @Test
    void aBudgetThatIsGoneStaysAsItWas() {
        RetryBudget shared = budgets.shared("stock");

        budgets.become(Map.of());

        assertThat(shared.ratio()).isEqualTo(0.5);
    }

    @Test
    void newBudgetsAreAdmittedAndThoseInUseMayNotGo() {
        budgets.shared("stock");
        budgets.shared("default");

        List<RetryFault> wrong =
                budgets.admit(Map.of("prices", RetryBudget.builder().ratio(0.3)));

        assertThat(wrong)
                .extracting(RetryFault::toString)
                .containsExactly("retryon.budgets.stock: was removed, but calls still use this budget; restore it");
        assertThat(budgets.shared("prices").ratio()).isEqualTo(0.3);
        assertThat(budgets.shared("stock").ratio()).isEqualTo(0.5);
    }

    @Test
    void whatHoldsIsNotChangedByWhatIsAdmitted() {
        RetryBudget shared = budgets.shared("stock");

        assertThat(budgets.admit(Map.of("stock", RetryBudget.builder().ratio(0.3))))
                .isEmpty();

        assertThat(shared.ratio()).isEqualTo(0.5);
        assertThat(budgets.own("stock", "Stock.load").ratio()).isEqualTo(0.5);
    }
}
