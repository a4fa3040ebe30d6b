// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Extensions can fail or be interrupted. The thread's interrupt flag and the error of the attempt survive. */
class FaultyParticipantsTests {

    private static final IOException DOWN = new IOException("down");

    @AfterEach
    void clearInterruptFlag() {
        Thread.interrupted();
    }

    @SuppressWarnings("unchecked")
    private static <R, X extends Throwable> R interrupted() throws X {
        throw (X) new InterruptedException("asked to stop");
    }

    /** What is interrupted, and why the call ends. */
    enum Interrupted {
        GATE(
                StopReason.REJECTED,
                policy -> policy.onlyIf(
                        (error, call) -> FaultyParticipantsTests.<Boolean, RuntimeException>interrupted()),
                engine -> engine),

        BACKOFF(
                StopReason.INTERRUPTED,
                policy -> policy.backoff(
                        (retry, base, previous) -> FaultyParticipantsTests.<Duration, RuntimeException>interrupted()),
                engine -> engine),

        LISTENER(
                StopReason.INTERRUPTED,
                policy -> policy,
                engine -> engine.listener(event -> {
                    if (event instanceof RetryScheduled) {
                        FaultyParticipantsTests.<Void, RuntimeException>interrupted();
                    }
                })),

        SLEEPER(
                StopReason.INTERRUPTED,
                policy -> policy,
                engine -> engine.time(
                        Times.sleeping(delay -> FaultyParticipantsTests.<Void, RuntimeException>interrupted())));

        final StopReason reason;

        final UnaryOperator<RetryPolicyBuilder> policy;

        final UnaryOperator<RetryEngineBuilder> engine;

        Interrupted(
                StopReason reason, UnaryOperator<RetryPolicyBuilder> policy, UnaryOperator<RetryEngineBuilder> engine) {
            this.reason = reason;
            this.policy = policy;
            this.engine = engine;
        }
    }

    @ParameterizedTest
    @EnumSource
    void anInterruptEndsTheCallAndKeepsTheFlag(Interrupted participant) {
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            Trial trial = new Trial(participant.policy.apply(Trial.policy()), participant.engine).call(DOWN);

            assertThat(Thread.interrupted()).isTrue();
            assertThat(trial.attempts()).isOne();
            assertThat(trial.thrown()).isSameAs(DOWN);
            assertThat(trial.reason()).isEqualTo(participant.reason);
            // That a wait is interrupted is no fault.
            assertThat(warnings.messages()).hasSize(participant == Interrupted.SLEEPER ? 0 : 1);
        }
    }

    @Test
    void aRetryIfThatIsInterruptedLetsTheValueOutAndKeepsTheFlag() {
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            Trial trial = new Trial(Trial.policy()
                            .retryIf((value, call) -> FaultyParticipantsTests.<Boolean, RuntimeException>interrupted()))
                    .call("pending");

            assertThat(Thread.interrupted()).isTrue();
            assertThat(trial.attempts()).isOne();
            assertThat(trial.value()).isEqualTo("pending");
            assertThat(warnings.messages()).hasSize(1);
        }
    }

    @Test
    void aSleeperThatFailsEndsTheCallWithTheErrorOfTheAttempt() {
        IOException down = new IOException("down");
        NoClassDefFoundError fault = new NoClassDefFoundError("sleeper");
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            Trial trial = trialWithSleeper(Trial.policy(), fault).call(down);

            assertThat(trial.attempts()).isOne();
            assertThat(trial.thrown()).isSameAs(down);
            assertThat(down.getSuppressed()).contains(fault);
            assertThat(trial.reason()).isEqualTo(StopReason.REJECTED);
            assertThat(trial.retry.waiting()).isZero();
            assertThat(warnings.causes()).containsExactly(fault);
        }
    }

    @Test
    void aSleeperThatFailsEndsTheCallWithTheValueOfTheAttempt() {
        IllegalStateException fault = new IllegalStateException("sleeper");
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            Trial trial = trialWithSleeper(Trial.policy().retryIf((value, call) -> true), fault)
                    .call("pending");

            assertThat(trial.value()).isEqualTo("pending");
            assertThat(trial.reason()).isEqualTo(StopReason.REJECTED);
            assertThat(warnings.causes()).containsExactly(fault);
        }
    }

    static Stream<RetryTime> brokenClocks() {
        return Stream.of(
                Times.ticking(() -> {
                    throw new IllegalStateException("no time");
                }),
                Times.telling(() -> {
                    throw new IllegalStateException("no time of day");
                }));
    }

    @ParameterizedTest
    @MethodSource("brokenClocks")
    void aClockThatFailsChangesNeitherTheAttemptsNorTheError(RetryTime clock) {
        IOException down = new IOException("down");
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            Trial trial = new Trial(
                            Trial.policy().maxAttempts(3).timeout(Duration.ofSeconds(30)), engine -> engine.time(clock))
                    .call(down);

            assertThat(trial.attempts()).isEqualTo(3);
            assertThat(trial.thrown()).isSameAs(down);
            assertThat(trial.reason()).isEqualTo(StopReason.EXHAUSTED);
            assertThat(warnings.causes()).hasSize(1).hasOnlyElementsOfType(IllegalStateException.class);
        }
    }

    private static Trial trialWithSleeper(RetryPolicyBuilder policy, Throwable fault) {
        return new Trial(
                policy, engine -> engine.time(Times.sleeping(delay -> FaultyParticipantsTests.<Error>sneak(fault))));
    }

    @SuppressWarnings("unchecked")
    private static <X extends Throwable> void sneak(Throwable fault) throws X {
        throw (X) fault;
    }
}
