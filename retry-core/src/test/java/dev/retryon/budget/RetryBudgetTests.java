// SPDX-License-Identifier: Apache-2.0
package dev.retryon.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.retryon.Retry;
import dev.retryon.RetryPolicy;
import dev.retryon.RetryResult;
import dev.retryon.StopReason;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetryBudgetTests {

    private final AtomicLong time = new AtomicLong(-5); // nanoTime can be negative

    private final RetryBudget.Builder builder =
            RetryBudget.builder().ticker(time::get).minPerSecond(0);

    private void pass(Duration duration) {
        time.addAndGet(duration.toNanos());
    }

    private static void deposit(RetryBudget budget, int calls) {
        for (int i = 0; i < calls; i++) {
            budget.deposit();
        }
    }

    private static int withdrawAll(RetryBudget budget) {
        int granted = 0;
        while (budget.withdraw()) {
            granted++;
        }
        return granted;
    }

    @Test
    void grantsTheRatioOfTheCalls() {
        RetryBudget budget = builder.build();
        deposit(budget, 100);

        assertThat(budget.tokens()).isCloseTo(20, within(1e-6)); // 100 · 0.2
        assertThat(withdrawAll(budget)).isEqualTo(20);
        assertThat(budget.denied()).isOne();
        assertThat(budget.tokens()).isCloseTo(0, within(1e-6));
    }

    @Test
    void goesOnWithOtherParameters() {
        RetryBudget budget = builder.build();
        deposit(budget, 100);

        budget.reconfigure(RetryBudget.builder().ratio(1).minPerSecond(2).window(Duration.ofSeconds(20)));

        assertThat(budget.tokens()).isCloseTo(20, within(1e-6)); // the calls until then, 100 · 0.2
        deposit(budget, 10);
        assertThat(withdrawAll(budget)).isEqualTo(30); // 20 + 10 · 1
        assertThat(budget.denied()).isOne();
        pass(Duration.ofHours(1));
        assertThat(withdrawAll(budget)).isEqualTo(40); // 2 · 20 s
        assertThat(budget.toString()).contains("ratio=1.0, minPerSecond=2, window=20s");
    }

    @Test
    void grantsSoManyASecondWithoutCalls() {
        RetryBudget budget = builder.minPerSecond(10).build();

        assertThat(withdrawAll(budget)).isEqualTo(100); // 10 · 10 s
        pass(Duration.ofMillis(99));
        assertThat(withdrawAll(budget)).isZero();
        pass(Duration.ofSeconds(1));
        assertThat(withdrawAll(budget)).isEqualTo(10); // 0.99 + 10 · 0.95, as some has leaked
        pass(Duration.ofHours(1));
        assertThat(withdrawAll(budget)).isEqualTo(100);
    }

    @Test
    void whatIsNotTakenLeaksAway() {
        RetryBudget budget = builder.build();
        deposit(budget, 100);
        assertThat(budget.withdraw()).isTrue();
        pass(Duration.ofSeconds(10));
        assertThat(budget.tokens()).isCloseTo(19 / Math.E, within(1e-6)); // 19 = 100 · 0.2 - 1
        pass(Duration.ofSeconds(30));

        assertThat(budget.withdraw()).isFalse();
    }

    @Test
    void aLongQuietTimeSavesNothing() {
        RetryBudget budget = builder.build();
        deposit(budget, 3_600_000);
        pass(Duration.ofHours(1)); // 1 000 calls a second, evenly

        assertThat(withdrawAll(budget)).isEqualTo(2_000); // 10 s · 1 000 · 0.2
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 7, 100, 999, 1_000, 2_500, 10_000, 10_500, 11_000, 12_345})
    void retriesNeverPassTheirShareWhateverTheRhythm(long everyMillis) {
        RetryBudget budget = builder.build();
        long granted = 0;
        long calls = 0;
        while (time.get() < Duration.ofMinutes(2).toNanos()) {
            deposit(budget, (int) everyMillis); // 1 000 a second
            calls += everyMillis;
            pass(Duration.ofMillis(everyMillis));
            granted += withdrawAll(budget);
        }

        assertThat(granted).isLessThanOrEqualTo((long) (calls * 0.2) + 1);
        if (everyMillis <= 1_000) {
            assertThat(granted).isGreaterThan((long) (calls * 0.2 * 0.94)); // the rest leaks in a second
        }
    }

    @Test
    void isExactWhenManyThreadsWithdraw() throws Exception {
        RetryBudget budget = builder.build();
        deposit(budget, 10_000);
        AtomicInteger granted = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(4);
        for (int thread = 0; thread < 4; thread++) {
            new Thread(() -> {
                        granted.addAndGet(withdrawAll(budget));
                        done.countDown();
                    })
                    .start();
        }
        done.await();

        assertThat(granted).hasValue(2_000); // 10 000 · 0.2
        assertThat(budget.denied()).isEqualTo(4);
    }

    @Test
    void endsCallsThatItHasNoTokenFor() {
        RetryBudget budget = builder.ratio(0.5).build();
        Retry retry = Retry.of(
                "catalogue",
                RetryPolicy.builder()
                        .retryOn(IOException.class)
                        .delay(Duration.ZERO)
                        .budget(budget)
                        .build());

        RetryResult<String> first = retry.capture(RetryBudgetTests::fail);
        RetryResult<String> second = retry.capture(RetryBudgetTests::fail);

        assertThat(first.attempts()).isOne();
        assertThat(first.stopReason()).isEqualTo(StopReason.BUDGET);
        assertThat(second.attempts()).isEqualTo(2); // two calls at 0.5
        assertThat(second.stopReason()).isEqualTo(StopReason.BUDGET);
        assertThat(budget.denied()).isEqualTo(2);
    }

    private static String fail() throws IOException {
        throw new IOException();
    }

    @Test
    void rejectsBadSettings() {
        assertThatThrownBy(() -> builder.ratio(-0.1)).hasMessage("ratio is '-0.1', but must be between 0 and 1000");
        assertThatThrownBy(() -> builder.ratio(Double.NaN)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.minPerSecond(-1)).hasMessage("minPerSecond is '-1', but must not be negative");
        assertThatThrownBy(() -> builder.window(Duration.ofMillis(999)))
                .hasMessage("window is '999ms', but must be between 1s and 1h");
    }

    @Test
    void tellsItsSettings() {
        assertThat(RetryBudget.ofDefaults()).hasToString("RetryBudget[ratio=0.2, minPerSecond=10, window=10s]");
    }

    @Test
    void theBoundsThemselvesAreAllowed() {
        RetryBudget smallest = RetryBudget.builder()
                .ratio(0)
                .minPerSecond(0)
                .window(Duration.ofSeconds(1))
                .build();
        RetryBudget largest =
                RetryBudget.builder().ratio(1000).window(Duration.ofHours(1)).build();

        assertThat(smallest.ratio()).isZero();
        assertThat(smallest.minPerSecond()).isZero();
        assertThat(smallest.window()).hasSeconds(1);
        assertThat(largest.ratio()).isEqualTo(1000);
        assertThat(largest.minPerSecond()).isEqualTo(RetryBudget.DEFAULT_MIN_PER_SECOND);
        assertThat(largest.window()).hasHours(1);
    }
}
