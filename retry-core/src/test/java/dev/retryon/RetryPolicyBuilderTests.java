// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.retryon.backoff.Backoff;
import dev.retryon.backoff.BackoffStrategy;
import dev.retryon.backoff.Jitter;
import dev.retryon.budget.RetryBudget;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a policy says, its defaults, and the settings that are rejected. */
class RetryPolicyBuilderTests {

    private final RetryPolicyBuilder builder = RetryPolicy.builder();

    private final RetryBudget budget = RetryBudget.ofDefaults();

    @Test
    void defaultsAreThoseThatTheRulesState() {
        RetryPolicy policy = builder.build();

        assertThat(policy.maxAttempts()).isEqualTo(3).isEqualTo(RetryPolicy.DEFAULT_MAX_ATTEMPTS);
        assertThat(policy.backoff()).hasToString("exponential(2.0)");
        assertThat(policy.delay()).isEqualTo(Duration.ofSeconds(1)).isEqualTo(RetryPolicy.DEFAULT_DELAY);
        assertThat(policy.multiplier()).isEqualTo(2.0).isEqualTo(RetryPolicy.DEFAULT_MULTIPLIER);
        assertThat(policy.maxDelay()).isEqualTo(Duration.ofMinutes(5)).isEqualTo(RetryPolicy.DEFAULT_MAX_DELAY);
        assertThat(policy.jitter()).isEqualTo(Jitter.proportional(0.5)).isEqualTo(RetryPolicy.DEFAULT_JITTER);
        assertThat(policy.exceptions()).isEmpty();
        assertThat(policy.excludes()).isEmpty();
        assertThat(policy.nonRetryableErrors()).isEmpty();
        assertThat(policy.timeout()).isNull();
        assertThat(policy.attemptTimeout()).isNull();
        assertThat(policy.budget()).isNull();
        assertThat(policy.retryable()).isTrue();
    }

    @Test
    void aPolicyHasTheSettingsOfItsBuilder() {
        RetryPolicy policy = builder.retryOn(IOException.class)
                .retryOn(TimeoutException.class)
                .excludes(FileNotFoundException.class)
                .excludes(IllegalStateException.class)
                .nonRetryableErrors("auth.*", "validation.payload_invalid")
                .maxAttempts(7)
                .retryable(false)
                .backoff("polynomial")
                .multiplier(4)
                .delay(Duration.ofSeconds(15))
                .maxDelay(Duration.ofHours(1))
                .jitter(Jitter.full())
                .timeout(Duration.ofDays(2))
                .attemptTimeout(Duration.ofSeconds(8))
                .budget(budget)
                .build();

        assertThat(policy.exceptions()).containsExactly(IOException.class, TimeoutException.class);
        assertThat(policy.excludes()).containsExactly(FileNotFoundException.class, IllegalStateException.class);
        assertThat(policy.nonRetryableErrors()).containsExactly("auth.*", "validation.payload_invalid");
        assertThat(policy.maxAttempts()).isEqualTo(7);
        assertThat(policy.retryable()).isFalse();
        assertThat(policy.backoff()).hasToString("polynomial(4.0)");
        assertThat(policy.multiplier()).isEqualTo(4);
        assertThat(policy.delay()).isEqualTo(Duration.ofSeconds(15));
        assertThat(policy.maxDelay()).isEqualTo(Duration.ofHours(1));
        assertThat(policy.jitter()).isEqualTo(Jitter.full());
        assertThat(policy.timeout()).isEqualTo(Duration.ofDays(2));
        assertThat(policy.attemptTimeout()).isEqualTo(Duration.ofSeconds(8));
        assertThat(policy.budget()).isSameAs(budget);
    }

    @Test
    void aPolicyDoesNotChangeWithItsBuilder() {
        RetryPolicy policy = builder.retryOn(IOException.class).build();

        builder.retryOn(TimeoutException.class).maxAttempts(9).delay(Duration.ofMinutes(1));

        assertThat(policy.exceptions()).containsExactly(IOException.class);
        assertThat(policy.maxAttempts()).isEqualTo(3);
        assertThat(policy.toBuilder().build().delay()).isEqualTo(Duration.ofSeconds(1));
        assertThat(policy.exceptions()).isUnmodifiable();
        assertThat(policy.excludes()).isUnmodifiable();
        assertThat(policy.nonRetryableErrors()).isUnmodifiable();
    }

    @Test
    void aCopyStartsWhereThePolicyStandsAndLeavesItAlone() {
        RetryPolicy policy = builder.retryOn(IOException.class)
                .excludes(FileNotFoundException.class)
                .nonRetryableErrors("auth.*")
                .maxAttempts(4)
                .backoff("exponential")
                .multiplier(3)
                .delay(Duration.ofSeconds(2))
                .maxDelay(Duration.ofSeconds(20))
                .jitter(Jitter.none())
                .timeout(Duration.ofMinutes(3))
                .build();

        RetryPolicy copy = policy.toBuilder().build();
        RetryPolicy changed =
                policy.toBuilder().retryOn(TimeoutException.class).multiplier(5).build();

        assertThat(copy).hasToString(policy.toString());
        assertThat(changed.exceptions()).containsExactly(IOException.class, TimeoutException.class);
        assertThat(changed.backoff()).hasToString("exponential(5.0)");
        assertThat(policy.exceptions()).containsExactly(IOException.class);
        assertThat(policy.backoff()).hasToString("exponential(3.0)");
    }

    @Test
    void theLastWordOnBackoffCounts() {
        assertThat(builder.backoff(Backoff.linear())
                        .backoff("fibonacci")
                        .build()
                        .backoff())
                .isSameAs(Backoff.fibonacci());
        assertThat(builder.backoff("fibonacci")
                        .backoff(Backoff.linear())
                        .build()
                        .backoff())
                .isSameAs(Backoff.linear());
        // The multiplier serves strategies chosen by name, whichever of the two is said first.
        assertThat(builder.multiplier(3).backoff("exponential").build().backoff())
                .hasToString("exponential(3.0)");
        assertThat(builder.backoff("polynomial").multiplier(4).build().backoff())
                .hasToString("polynomial(4.0)");
        assertThat(builder.backoff(Backoff.exponential(5)).multiplier(2).build().backoff())
                .hasToString("exponential(5.0)");
    }

    @Test
    void zeroAttemptsMeanOneAndNegativeOnesAreRejected() {
        assertThat(builder.maxAttempts(0).build().maxAttempts()).isEqualTo(1);
        assertThat(builder.maxAttempts(1).build().maxAttempts()).isEqualTo(1);
        assertThat(builder.maxAttempts(Integer.MAX_VALUE).build().maxAttempts()).isEqualTo(Integer.MAX_VALUE);
        rejects(() -> builder.maxAttempts(-1), "maxAttempts is '-1', but must be at least 1 (which means no retry)");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.99, 0, -1, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
    void multipliersBelowOneAreRejectedWhateverTheBackoff(double multiplier) {
        for (String backoff : Backoff.names()) {
            rejects(
                    () -> RetryPolicy.builder().backoff(backoff).multiplier(multiplier),
                    "multiplier is '" + multiplier + "', but must be finite and at least 1.0");
        }
    }

    @Test
    void negativeDurationsAreRejected() {
        rejects(() -> builder.delay(Duration.ofMillis(-1)), "delay is '-1ms', but must not be negative");
        rejects(() -> builder.maxDelay(Duration.ofSeconds(-1)), "maxDelay is '-1s', but must not be negative");
        rejects(() -> builder.timeout(Duration.ofNanos(-1)), "timeout is '-1ns', but must not be negative");
        rejects(
                () -> builder.attemptTimeout(Duration.ofHours(-1)),
                "attemptTimeout is '-1h', but must not be negative");
    }

    @Test
    void aTimeoutOfZeroIsNone() {
        assertThat(builder.timeout(Duration.ofSeconds(1))
                        .timeout(Duration.ZERO)
                        .build()
                        .timeout())
                .isNull();
        assertThat(builder.attemptTimeout(Duration.ofSeconds(1))
                        .attemptTimeout(Duration.ZERO)
                        .build()
                        .attemptTimeout())
                .isNull();
    }

    @Test
    void aCapBelowTheDelayIsRejectedInEitherOrder() {
        String message = "maxDelay is '1s', but must not be below delay, which is '2s'";

        rejects(() -> RetryPolicy.builder().delay(Duration.ofSeconds(2)).maxDelay(Duration.ofSeconds(1)), message);
        rejects(() -> RetryPolicy.builder().maxDelay(Duration.ofSeconds(1)).delay(Duration.ofSeconds(2)), message);
    }

    @Test
    void aCopyMayContradictOnTheWayButNotInTheEnd() {
        RetryPolicy policy = builder.delay(Duration.ofSeconds(2))
                .maxDelay(Duration.ofSeconds(4))
                .build();

        rejects(
                () -> policy.toBuilder().maxDelay(Duration.ofSeconds(1)).build(),
                "maxDelay is '1s', but must not be below delay, which is '2s'");
        rejects(
                () -> policy.toBuilder().delay(Duration.ofSeconds(5)).build(),
                "maxDelay is '4s', but must not be below delay, which is '5s'");
        assertThat(policy.toBuilder()
                        .delay(Duration.ofSeconds(5))
                        .maxDelay(Duration.ofSeconds(6))
                        .build()
                        .maxDelay())
                .isEqualTo(Duration.ofSeconds(6));
        assertThat(policy.toBuilder()
                        .maxDelay(Duration.ofSeconds(1))
                        .delay(Duration.ofMillis(500))
                        .build()
                        .delay())
                .isEqualTo(Duration.ofMillis(500));
    }

    @Test
    void aCapBelowTheDefaultDelayIsNoContradiction() {
        assertThat(builder.maxDelay(Duration.ofMillis(200)).build().maxDelay()).isEqualTo(Duration.ofMillis(200));
    }

    @Test
    void unknownBackoffsAreRejectedWithTheKnownNames() {
        rejects(
                () -> builder.backoff("quadratic"),
                "backoff is 'quadratic', but must be one of "
                        + "decorrelated, exponential, fibonacci, fixed, linear, none, polynomial");
    }

    @Test
    void blankPatternsAreRejected() {
        rejects(
                () -> builder.nonRetryableErrors("auth.*", " "),
                "nonRetryableErrors contains a blank pattern; use an exact code or a prefix such as \"auth.*\"");
    }

    @Test
    void nothingMayBeNull() {
        assertThatNullPointerException().isThrownBy(() -> builder.delay(null));
        assertThatNullPointerException().isThrownBy(() -> builder.maxDelay(null));
        assertThatNullPointerException().isThrownBy(() -> builder.timeout(null));
        assertThatNullPointerException().isThrownBy(() -> builder.attemptTimeout(null));
        assertThatNullPointerException().isThrownBy(() -> builder.budget(null));
        assertThatNullPointerException().isThrownBy(() -> builder.jitter(null));
        assertThatNullPointerException().isThrownBy(() -> builder.backoff((String) null));
        assertThatNullPointerException().isThrownBy(() -> builder.onlyIf(null));
        assertThatNullPointerException().isThrownBy(() -> builder.unless(null));
        assertThatNullPointerException().isThrownBy(() -> builder.retryIf(null));
        assertThatNullPointerException().isThrownBy(() -> builder.retryOn((Class<? extends Throwable>) null));
        assertThatNullPointerException().isThrownBy(() -> builder.excludes((Class<? extends Throwable>) null));
    }

    @Test
    void aPolicyTellsWhatItDoes() {
        RetryPolicy policy = builder.retryOn(IOException.class)
                .maxAttempts(3)
                .jitter(Jitter.none())
                .build();

        assertThat(policy)
                .hasToString("RetryPolicy[maxAttempts=3, exceptions=[IOException], excludes=[], nonRetryableErrors=[], "
                        + "backoff=exponential(2.0), delay=1s, maxDelay=5m, jitter=none, timeout=none, "
                        + "attemptTimeout=none, budget=none, waits=[1s, 2s]]");
        assertThat(policy.toBuilder()
                        .retryable(false)
                        .timeout(Duration.ofSeconds(9))
                        .build()
                        .toString())
                .contains("retryable=false", "timeout=9s", "waits=[]");
    }

    @Test
    void theTextOfAPolicyRunsNoCodeOfTheUsers() {
        class Strange implements BackoffStrategy {

            @Override
            public Duration delay(int retry, Duration base, Duration previous) {
                throw new AssertionError("asked for a delay");
            }

            @Override
            public String toString() {
                throw new AssertionError("asked for a text");
            }
        }

        String text = RetryPolicy.builder().backoff(new Strange()).build().toString();

        assertThat(text)
                .contains("backoff=" + Strange.class.getName() + ", delay=1s")
                .doesNotContain("waits=");
    }

    private static void rejects(ThrowingCallable setting, String message) {
        assertThatIllegalArgumentException().isThrownBy(setting).withMessage(message);
    }

    @Test
    void aPolicyTellsWhichErrorsItsRecoveryServesThoughTheyAreNotRetried() {
        assertThat(RetryPolicy.builder().recoverOn(IOException.class).build().recoverOn())
                .containsExactly(IOException.class);
        assertThat(RetryPolicy.builder().build().recoverOn()).isEmpty();
    }
}
