// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.StopReason;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.RetryRegistry;
import dev.retryon.spring.VirtualTimeBeans;
import dev.retryon.spring.module.Setting;
import dev.retryon.test.RecordedRetries;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

@Timeout(120)
class KeyedBudgetsTests {

    /** Two retries and a half for each call, and none beside. */
    private final ApplicationContextRunner runner = Applications.retrying()
            .withUserConfiguration(VirtualTimeBeans.class)
            .withPropertyValues(
                    "retryon.defaults.delay=0",
                    "retryon.budgets.search.ratio=2.5",
                    "retryon.budgets.search.min-per-second=0",
                    "retryon.budgets.search.window=1h");

    private static void failing(ThrowingCallable call) {
        assertThatExceptionOfType(IOException.class).isThrownBy(call);
    }

    @Test
    void tenantsDoNotUseUpTheRetriesOfOthers() {
        runner.withBean(Search.class).run(context -> {
            Search search = context.getBean(Search.class);
            RecordedRetries retries = context.getBean(RecordedRetries.class);
            search.find("other", false);
            failing(() -> search.find("acme", true));
            assertThat(retries).of("Search.find").attempted(3).failed(StopReason.BUDGET);
            retries.clear();
            failing(() -> search.find("other", true));
            assertThat(retries).of("Search.find").attempted(5).failed(StopReason.BUDGET);
        });
    }

    @Test
    void futuresToo() {
        runner.withBean(Search.class).run(context -> {
            Search search = context.getBean(Search.class);
            assertThat(search.later("acme")).failsWithin(Duration.ofSeconds(60));
            assertThat(search.later("other")).failsWithin(Duration.ofSeconds(60));
            assertThat(context.getBean(RetryBudgets.class).shared("search").keys())
                    .isEqualTo(2);
        });
    }

    @Test
    void propertiesAndCallsSetTheKey() {
        String find = "retryon.methods[" + Plain.class.getName() + "#find]";
        runner.withPropertyValues(find + ".budget=search", find + ".budget-key=#p0.length()")
                .withBean(Plain.class)
                .run(context -> {
                    Plain plain = context.getBean(Plain.class);
                    RetryBudgets budgets = context.getBean(RetryBudgets.class);
                    failing(() -> plain.find("acme"));
                    failing(() -> plain.find("four"));
                    assertThat(budgets.shared("search").keys()).isEqualTo(1);
                    assertThat(context.getBean(NamedRetries.class).methods("Plain.find").stream()
                                    .map(method -> method.settings()
                                            .place(Setting.BUDGET_KEY)
                                            .text()))
                            .containsExactly(find + ".budget-key");
                    failing(() -> Retries.with(settings -> settings.budgetKey("'one'"))
                            .call(() -> plain.find("other")));
                    assertThat(budgets.shared("search").keys()).isEqualTo(2);
                });
    }

    @Test
    void retriesWithoutArgumentsHaveNoKey() {
        runner.withPropertyValues(
                        "retryon.defaults.budget=search",
                        "retryon.defaults.budget-key=#tenant",
                        "retryon.policies.quick.max-attempts=2")
                .withBean(Search.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(RetryRegistry.class)
                                    .retry("quick")
                                    .call(() -> "found"))
                            .isEqualTo("found");
                });
    }

    @Test
    void aKeyThatIsNullUsesTheUndividedBudget() {
        runner.withBean(Search.class).run(context -> {
            Search search = context.getBean(Search.class);
            failing(() -> search.find(null, true));
            assertThat(context.getBean(RetryBudgets.class).shared("search").keys())
                    .isZero();
            assertThat(context.getBean(RecordedRetries.class)).of("Search.find").attempted(3);
        });
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            delimiter = ';',
            value = {
                "#tenant + ; does not parse",
                "#tenantt ; names the unknown variable #tenantt",
                "#error ; names the unknown variable #error",
                "@clock.zone ; names the bean 'clock', which does not exist"
            })
    void certainMistakesEndTheStart(String key, String problem) {
        runner.withPropertyValues("retryon.methods[" + Search.class.getName() + "#find].budget-key=" + key)
                .withBean(Search.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("budgetKey is '")
                        .hasStackTraceContaining(problem));
    }

    @Test
    void withoutABudgetAKeyMustParse() {
        runner.withPropertyValues("retryon.methods[" + Plain.class.getName() + "#find].budget-key=#tenant +")
                .withBean(Plain.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("budgetKey is '#tenant +'")
                        .hasStackTraceContaining("does not parse"));
    }

    @Test
    void aDefaultKeyMayNameParametersThatMethodsWithoutABudgetDoNotHave() {
        runner.withPropertyValues("retryon.defaults.budget-key=#words")
                .withBean(Plain.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    static class Search {

        @RetryOn(value = IOException.class, maxAttempts = 10, budget = "search", budgetKey = "#tenant")
        public String find(@Nullable String tenant, boolean isFailing) throws IOException {
            if (isFailing) {
                throw new IOException(tenant);
            }
            return "found";
        }

        @RetryOn(value = IOException.class, maxAttempts = 10, budget = "search", budgetKey = "#tenant")
        public CompletableFuture<String> later(String tenant) {
            return CompletableFuture.failedFuture(new IOException(tenant));
        }
    }

    static class Plain {

        @RetryOn(value = IOException.class, maxAttempts = 10)
        public String find(String tenant) throws IOException {
            throw new IOException(tenant);
        }
    }
}
