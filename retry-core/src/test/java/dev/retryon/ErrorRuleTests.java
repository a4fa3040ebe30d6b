// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.retryon.budget.RetryBudget;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Rules for single errors: which one applies, and what it changes. */
@SuppressWarnings("serial")
class ErrorRuleTests {

    private static final IOException DOWN = new IOException("down");

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** The delays of the policy are of one second, so that any other delay is that of a rule. */
    private static Trial trial(Consumer<RetryPolicyBuilder> rules) {
        RetryPolicyBuilder policy = Trial.policy();
        rules.accept(policy);
        return new Trial(policy, engine -> engine.hintResolver(ErrorRuleTests::code));
    }

    private static @Nullable RetryHint code(Throwable error, RetryContext call) {
        return error instanceof SQLException sql ? RetryHint.ofErrorCode("sql." + sql.getSQLState()) : null;
    }

    private static Consumer<RetryPolicyBuilder> delay(int seconds) {
        return rule -> rule.delay(Duration.ofSeconds(seconds));
    }

    private static List<Duration> seconds(int... seconds) {
        return java.util.Arrays.stream(seconds).mapToObj(Duration::ofSeconds).toList();
    }

    @Test
    void eachFailureIsFollowedByTheDelayOfItsRule() {
        Trial trial = trial(policy -> policy.onError(Throttled.class, delay(20)).onError(Reset.class, delay(0)));

        trial.call(new Throttled(), new Reset(), DOWN, new Throttled(), "up");

        assertThat(trial.waits()).isEqualTo(seconds(20, 1, 20));
        assertThat(trial.attempts()).isEqualTo(5);
        assertThat(trial.value()).isEqualTo("up");
    }

    @Test
    void anErrorWithARuleNeedNotBeListed() {
        Trial trial = trial(policy -> policy.onError(IllegalStateException.class, delay(5)));

        assertThat(trial.call(new IllegalStateException(), "up").waits()).isEqualTo(seconds(5));
        assertThat(trial.call(new IllegalArgumentException(), "up").reason()).isEqualTo(StopReason.NOT_RETRYABLE);
    }

    @Test
    void excludesAreStrongerThanRules() {
        Trial trial = trial(policy -> policy.excludes(Throttled.class).onError(Throttled.class, delay(5)));

        assertThat(trial.call(new Throttled(), "up").reason()).isEqualTo(StopReason.NOT_RETRYABLE);
    }

    @Test
    void attemptsAreCountedOverTheWholeCall() {
        Trial trial = trial(policy -> policy.maxAttempts(3)
                .onError(Throttled.class, rule -> rule.maxAttempts(5))
                .onError(Reset.class, rule -> rule.maxAttempts(2)));

        assertThat(trial.call(new Throttled()).attempts()).isEqualTo(5);
        assertThat(trial.call(new Reset()).attempts()).isEqualTo(2);
        assertThat(trial.call(new Throttled(), new Throttled(), DOWN).attempts())
                .isEqualTo(3);
        assertThat(trial.call(DOWN, new Reset(), "up").reason()).isEqualTo(StopReason.EXHAUSTED);
        assertThat(trial.call(new Throttled(), DOWN, new Throttled(), new Throttled(), "up")
                        .value())
                .isEqualTo("up");
    }

    @Test
    void theContextHasTheAttemptsOfTheRule() throws Exception {
        Trial trial = trial(policy -> policy.maxAttempts(2).onError(Throttled.class, rule -> rule.maxAttempts(7)));

        trial.call(new Throttled(), "up");

        assertThat(trial.events().get(0).maxAttempts()).isEqualTo(7);
        assertThat(trial.events().get(0).toString()).contains("1 of 7");
        boolean[] last = new boolean[2];
        trial.retry.call(() -> {
            RetryContext context = RetryContext.current();
            last[context.attempt() - 1] = context.isLastAttempt();
            if (context.attempt() == 1) {
                throw DOWN;
            }
            return "up";
        });
        assertThat(last).as("a later error can have a rule").containsExactly(false, false);
    }

    @Test
    void theRuleForTheNearestErrorApplies() {
        Trial trial = trial(policy -> policy.onError(SQLException.class, delay(20))
                .onError(IOException.class, delay(30))
                .onError(FileNotFoundException.class, delay(40)));

        assertThat(trial.call(new IOException(new SQLException()), "up").waits())
                .isEqualTo(seconds(30));
        assertThat(trial.call(new IllegalStateException(new SQLException(new FileNotFoundException())), "up")
                        .waits())
                .isEqualTo(seconds(20));
        assertThat(trial.call(new FileNotFoundException(), "up").waits())
                .as("the most specific type")
                .isEqualTo(seconds(40));
    }

    @Test
    void anExactCodeIsPreferredToATypeAndATypeToAPrefix() {
        Trial trial = trial(policy -> policy.onErrorCode("sql.40*", delay(20))
                .onErrorCode("sql.*", delay(10))
                .onErrorCode("sql.4*", delay(15))
                .onErrorCode("sql.40001", delay(30))
                .onError(SerializationFailure.class, delay(40)));

        assertThat(trial.call(new SQLException("", "40001"), "up").waits()).isEqualTo(seconds(30));
        assertThat(trial.call(new SerializationFailure("40001"), "up").waits()).isEqualTo(seconds(30));
        assertThat(trial.call(new SerializationFailure("40P01"), "up").waits()).isEqualTo(seconds(40));
        assertThat(trial.call(new SQLException("", "40P01"), "up").waits()).isEqualTo(seconds(20));
        assertThat(trial.call(new SQLException("", "08006"), "up").waits()).isEqualTo(seconds(10));
    }

    @Test
    void theErrorOfABrokenProgramNeedsARuleForAnError() {
        Trial trial = trial(policy -> policy.onError(Throwable.class, delay(5))
                .onErrorCode("java.*", delay(6))
                .onError(LinkageError.class, delay(7)));

        assertThat(trial.call(new AssertionError(), "up").reason()).isEqualTo(StopReason.NOT_RETRYABLE);
        assertThat(trial.call(new NoClassDefFoundError(), "up").waits()).isEqualTo(seconds(7));
        assertThat(trial.call(new OutOfMemoryError(), "up").reason()).isEqualTo(StopReason.NOT_RETRYABLE);
    }

    @Test
    void whatARuleDoesNotSetIsThatOfThePolicy() {
        Trial trial = trial(policy -> policy.onError(Throttled.class, rule -> rule.backoff("linear"))
                .onError(Reset.class, rule -> rule.multiplier(3).backoff("exponential"))
                .delay(Duration.ofSeconds(2)));

        assertThat(trial.call(new Throttled(), new Throttled(), "up").waits()).isEqualTo(seconds(2, 4));
        assertThat(trial.call(new Reset(), new Reset(), "up").waits()).isEqualTo(seconds(2, 6));
    }

    @Test
    void aDelayOfARuleMayExceedTheLongestOfThePolicy() {
        Trial trial = trial(policy -> policy.maxDelay(Duration.ofSeconds(3))
                .onError(Throttled.class, delay(20))
                .onError(Reset.class, rule -> rule.maxDelay(Duration.ofMillis(500))));

        assertThat(trial.call(new Throttled(), new Reset(), "up").waits())
                .containsExactly(Duration.ofSeconds(20), Duration.ofMillis(500));
    }

    @Test
    void theLongestDelayOfARuleBoundsWhatTheErrorAsksFor() {
        Trial trial = trial(policy -> policy.maxDelay(Duration.ofSeconds(3))
                .onError(RetrySignal.class, rule -> rule.maxDelay(Duration.ofSeconds(30))));

        assertThat(trial.call(RetrySignal.retryAfter("busy", Duration.ofSeconds(20)), "up")
                        .waits())
                .isEqualTo(seconds(20));
        assertThat(trial.call(RetrySignal.retryAfter("busy", Duration.ofSeconds(31)), "up")
                        .reason())
                .isEqualTo(StopReason.DELAY_TOO_LONG);
    }

    @Test
    void aRetryTakesTheTokensOfItsRule() {
        RetryBudget budget = RetryBudget.builder()
                .ratio(0)
                .minPerSecond(5)
                .window(SECOND)
                .ticker(() -> 0)
                .build();
        Trial trial = trial(policy -> policy.budget(budget)
                .onError(Throttled.class, rule -> rule.budgetCost(3))
                .onError(Reset.class, rule -> rule.budgetCost(0)));

        trial.call(new Throttled(), DOWN, new Reset(), new Reset(), "up");
        assertThat(budget.tokens()).isEqualTo(1);
        assertThat(trial.call(new Throttled(), "up").reason()).isEqualTo(StopReason.BUDGET);
        assertThat(budget.tokens()).as("what is refused costs nothing").isEqualTo(1);
        trial.call(DOWN, "up");
        assertThat(trial.call(new Reset(), "up").value()).isEqualTo("up");
    }

    @Test
    void asynchronousCallsHaveRulesToo() {
        Trial trial = trial(policy -> policy.maxAttempts(1)
                .onError(Throttled.class, rule -> rule.delay(Duration.ZERO).maxAttempts(3)));
        int[] attempts = new int[1];

        CompletableFuture<String> call = trial.retry
                .callAsync(() -> ++attempts[0] < 3
                        ? CompletableFuture.failedFuture(new CompletionException(new Throttled()))
                        : CompletableFuture.completedFuture("up"))
                .toCompletableFuture();

        assertThat(call.join()).isEqualTo("up");
        assertThat(attempts[0]).isEqualTo(3);
    }

    @Test
    void aRuleThatFailsFallsBackToItsOwnDelay() {
        Trial trial = trial(policy -> policy.onError(
                Throttled.class,
                rule -> rule.delay(Duration.ofSeconds(4)).backoff((retry, base, previous) -> {
                    throw new IllegalStateException("broken");
                })));

        assertThat(trial.call(new Throttled(), "up").waits()).isEqualTo(seconds(4));
    }

    @Test
    void aPolicyShowsItsRules() {
        RetryPolicy policy = Trial.policy()
                .onErrorCode("http.503", delay(5))
                .onError(Throttled.class, rule -> rule.backoff("linear").delay(Duration.ofSeconds(2)))
                .build();

        assertThat(policy.errorRules()).containsOnlyKeys(Throttled.class.getName(), "http.503");
        assertThat(policy.errorRules().get(Throttled.class.getName()).schedule(2))
                .extracting(RetryPolicy.DelayRange::longest)
                .isEqualTo(seconds(2, 4));
        assertThat(policy.errorRules().get("http.503").errorRules()).isEmpty();
        assertThat(policy.toString()).contains("errorRules", "http.503");
        assertThat(Trial.policy()
                        .delay(SECOND)
                        .onError(Throttled.class, rule -> rule.maxDelay(Duration.ZERO))
                        .build()
                        .errorRules()
                        .get(Throttled.class.getName())
                        .toBuilder()
                        .build()
                        .delay())
                .isZero();
        assertThat(policy.toBuilder().delay(Duration.ofSeconds(9)).build().errorRules())
                .containsOnlyKeys(Throttled.class.getName(), "http.503");
    }

    @Test
    void aLaterRuleForTheSameErrorReplacesTheEarlierOne() {
        Trial trial = trial(policy ->
                policy.onError(Throttled.class, rule -> rule.maxAttempts(1)).onError(Throttled.class, delay(5)));

        assertThat(trial.call(new Throttled(), "up").waits()).isEqualTo(seconds(5));
    }

    @Test
    void wrongRulesAreRefusedAtOnce() {
        RetryPolicyBuilder policy = RetryPolicy.builder();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> policy.onErrorCode(" ", rule -> {}))
                .withMessageContainingAll("code", "http.503");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> policy.onError(Throttled.class, rule -> rule.budgetCost(-1)))
                .withMessageContainingAll("budgetCost", "-1.0", "0 or more");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> policy.onError(Throttled.class, rule -> rule.budgetCost(Double.NaN)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> policy.onError(Throttled.class, rule -> rule.maxAttempts(-1)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> policy.onError(Throttled.class, rule -> rule.backoff("quick")))
                .withMessageContaining("quick");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> policy.onError(
                        Throttled.class, rule -> rule.delay(SECOND).maxDelay(Duration.ZERO)))
                .withMessageContaining("maxDelay");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> policy.onError(Throttled.class, rule -> rule.multiplier(0.5)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> policy.onError(Throttled.class, rule -> rule.timeout(SECOND)))
                .withMessage("a rule sets timeout, but a rule can only set maxAttempts, backoff, delay, multiplier,"
                        + " maxDelay, jitter and budgetCost; set timeout for the policy");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> policy.onErrorCode("http.503", rule -> rule.onError(Throttled.class, delay(1))))
                .withMessageContaining("onError");
        assertThat(policy.build().errorRules()).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RetryBudget.ofDefaults().withdraw(-1))
                .withMessageContaining("-1");
    }

    private static final class Throttled extends RuntimeException {}

    private static final class Reset extends IOException {}

    private static final class SerializationFailure extends SQLException {

        SerializationFailure(String state) {
            super("", state);
        }
    }
}
