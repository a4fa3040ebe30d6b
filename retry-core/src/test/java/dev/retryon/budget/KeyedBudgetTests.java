// SPDX-License-Identifier: Apache-2.0
package dev.retryon.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.within;

import dev.retryon.CallState;
import dev.retryon.ExtensionErrorListener;
import dev.retryon.Retry;
import dev.retryon.RetryContext;
import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicy;
import dev.retryon.RetryResult;
import dev.retryon.StopReason;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KeyedBudgetTests {

    private final AtomicLong nanos = new AtomicLong();

    private RetryBudget budget(double ratio, int minPerSecond) {
        return RetryBudget.builder()
                .ratio(ratio)
                .minPerSecond(minPerSecond)
                .window(Duration.ofSeconds(1))
                .ticker(nanos::get)
                .build();
    }

    private static RetryPolicy policy(RetryBudget budget, Function<RetryContext, ? extends @Nullable Object> key) {
        return RetryPolicy.builder()
                .retryOn(IOException.class)
                .maxAttempts(100)
                .delay(Duration.ZERO)
                .budget(budget, key)
                .build();
    }

    private static Object tenant(RetryContext context) {
        return context.subject().target();
    }

    private static RetryResult<Object> fail(Retry retry, Object tenant) {
        return retry.capture(tenant, (subject, attempt) -> {
            throw new IOException();
        });
    }

    @Test
    void eachKeyHasItsOwnTokens() {
        RetryBudget budget = budget(0, 2);
        Retry retry = Retry.of("search", policy(budget, KeyedBudgetTests::tenant));

        RetryResult<Object> first = fail(retry, "acme");
        assertThat(first.attempts()).isEqualTo(3);
        assertThat(first.stopReason()).isEqualTo(StopReason.BUDGET);
        assertThat(fail(retry, "acme").attempts()).isEqualTo(1);
        assertThat(fail(retry, "other").attempts()).isEqualTo(3);

        assertThat(budget.keys()).isEqualTo(2);
        assertThat(budget.denied()).isEqualTo(3);
        assertThat(budget.forKey("acme").denied()).isEqualTo(2);
        assertThat(budget.forKey("third").tokens()).isEqualTo(2);
        assertThat(budget.tokens()).as("the fewest").isZero();
    }

    @Test
    void callsWithoutAKeyCountInTheTokens() {
        RetryBudget budget = budget(0, 2);
        assertThat(budget.forKey("acme").tokens()).isEqualTo(2);
        budget.deposit();
        budget.withdraw();
        assertThat(budget.tokens()).isEqualTo(1);
    }

    @Test
    void callsPayIntoTheBudgetOfTheirKey() throws Throwable {
        RetryBudget budget = budget(0.5, 0);
        Retry retry = Retry.of("search", policy(budget, KeyedBudgetTests::tenant));
        for (int i = 0; i < 4; i++) {
            retry.call("acme", (tenant, attempt) -> "found");
        }
        assertThat(fail(retry, "acme").attempts()).as("4.5 calls allow two").isEqualTo(3);
        assertThat(fail(retry, "other").attempts()).isEqualTo(1);
    }

    @Test
    void theFirstAttemptOfAStoredCallPaysIntoTheBudgetOfItsKey() {
        RetryBudget budget = budget(2, 0);
        Retry retry = Retry.of("search", policy(budget, KeyedBudgetTests::tenant));
        CallState stored = CallState.first("id", Instant.EPOCH);
        RetryResult<Object> result = fail(retry.resume(stored, Duration.ZERO, () -> true), "acme");
        assertThat(result.attempts()).as("one call allows two retries").isEqualTo(3);
    }

    @Test
    void asynchronousCallsToo() {
        RetryBudget budget = budget(0, 2);
        Retry retry = Retry.of("search", policy(budget, KeyedBudgetTests::tenant));
        AtomicInteger attempts = new AtomicInteger();
        CompletableFuture<Object> call = retry.callAsync("acme", (tenant, attempt) -> {
            attempts.incrementAndGet();
            return CompletableFuture.failedFuture(new IOException());
        });
        assertThat(call).failsWithin(Duration.ofSeconds(10));
        assertThat(attempts).hasValue(3);
        assertThat(budget.forKey("acme").tokens()).isZero();
    }

    @Test
    void keepsAThousandKeysAndForgetsTheLeastRecentlyUsed() {
        RetryBudget budget = budget(0, 1);
        for (int i = 0; i < 1_000; i++) {
            assertThat(budget.forKey(i).withdraw()).isTrue();
        }
        assertThat(budget.forKey(0).withdraw()).as("used, and so kept").isFalse();
        budget.forKey(1_000);
        assertThat(budget.keys()).isEqualTo(RetryBudget.MOST_KEYS);
        assertThat(budget.forKey(0).withdraw()).isFalse();
        assertThat(budget.forKey(1).withdraw()).as("forgotten").isFalse();
        nanos.addAndGet(Duration.ofSeconds(10).toNanos());
        assertThat(budget.forKey(1).tokens()).as("earned since").isCloseTo(1, within(0.01));
    }

    @Test
    void aKeyThatIsNullOrFailsUsesTheUndividedBudget() {
        RetryBudget budget = budget(0, 2);
        List<String> failures = new ArrayList<>();
        RetryEngine engine = RetryEngine.builder()
                .extensionErrorListener((source, name, sentence, cause) -> failures.add(source + " " + sentence))
                .build();
        Function<RetryContext, ? extends @Nullable Object> hostile = context -> {
            Object tenant = tenant(context);
            if (tenant.equals("none")) {
                return null;
            }
            return new Object() {
                @Override
                public String toString() {
                    throw new AssertionError("no text");
                }
            };
        };
        Retry retry =
                Retry.builder("search", policy(budget, hostile)).engine(engine).build();

        assertThat(fail(retry, "none").attempts()).isEqualTo(3);
        assertThat(failures).isEmpty();
        assertThat(fail(retry, "acme").attempts()).isEqualTo(1);
        assertThat(failures)
                .hasSize(2)
                .allSatisfy(failure -> assertThat(failure)
                        .startsWith(ExtensionErrorListener.Kind.GATE + " ")
                        .contains("budget key"));
        assertThat(budget.keys()).isZero();
    }

    @Test
    void manyThreadsShareTheTokensOfAKey() throws Exception {
        RetryBudget budget = budget(0, 500);
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<Integer>> granted = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                granted.add(threads.submit(() -> {
                    int count = 0;
                    for (int call = 0; call < 2_500; call++) {
                        count += budget.forKey("key " + call % 2).withdraw() ? 1 : 0;
                    }
                    return count;
                }));
            }
            int sum = 0;
            for (Future<Integer> count : granted) {
                sum += count.get();
            }
            assertThat(sum).isEqualTo(1_000);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void partsFollowTheParameters() {
        RetryBudget budget = budget(0, 2);
        RetryBudget part = budget.forKey("acme");
        budget.reconfigure(RetryBudget.builder().ratio(0.1).minPerSecond(10).window(Duration.ofSeconds(2)));
        assertThat(part).hasToString(budget.toString());
        nanos.addAndGet(Duration.ofSeconds(100).toNanos());
        assertThat(part.tokens()).isCloseTo(20, within(0.1));
        assertThatIllegalStateException().isThrownBy(() -> part.forKey("nested"));
    }
}
