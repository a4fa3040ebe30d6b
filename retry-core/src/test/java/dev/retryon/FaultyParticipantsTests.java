/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What users plug in may be interrupted or fail. The interrupt flag of the thread and the error of the attempt survive. */
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

    @Test
    void aGateThatIsInterruptedEndsTheCallAndKeepsTheFlag() {
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            Trial trial = new Trial(Trial.policy()
                            .onlyIf((error, call) -> FaultyParticipantsTests.<Boolean, RuntimeException>interrupted()))
                    .call(DOWN);

            assertThat(Thread.interrupted()).isTrue();
            assertThat(trial.attempts()).isOne();
            assertThat(trial.thrown()).isSameAs(DOWN);
            assertThat(trial.reason()).isEqualTo(StopReason.REJECTED);
            assertThat(warnings.messages()).hasSize(1);
        }
    }

    @Test
    void aListenerThatIsInterruptedEndsTheWaitAndKeepsTheFlag() {
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            Trial trial = new Trial(
                            Trial.policy(),
                            engine -> engine.listener(event -> {
                                if (event instanceof RetryScheduled) {
                                    FaultyParticipantsTests.<Void, RuntimeException>interrupted();
                                }
                            }))
                    .call(DOWN);

            assertThat(Thread.interrupted()).isTrue();
            assertThat(trial.attempts()).isOne();
            assertThat(trial.thrown()).isSameAs(DOWN);
            assertThat(trial.reason()).isEqualTo(StopReason.INTERRUPTED);
            assertThat(warnings.messages()).hasSize(1);
        }
    }

    @Test
    void aBackoffThatIsInterruptedEndsTheWaitAndKeepsTheFlag() {
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            Trial trial = new Trial(Trial.policy()
                            .backoff((retry, base, previous) ->
                                    FaultyParticipantsTests.<Duration, RuntimeException>interrupted()))
                    .call(DOWN);

            assertThat(Thread.interrupted()).isTrue();
            assertThat(trial.attempts()).isOne();
            assertThat(trial.thrown()).isSameAs(DOWN);
            assertThat(trial.reason()).isEqualTo(StopReason.INTERRUPTED);
            assertThat(warnings.messages()).hasSize(1);
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
    void aSleeperThatIsInterruptedEndsTheCallAndKeepsTheFlag() {
        Trial trial = new Trial(
                        Trial.policy(),
                        engine ->
                                engine.sleeper(delay -> FaultyParticipantsTests.<Void, RuntimeException>interrupted()))
                .call(DOWN);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(trial.attempts()).isOne();
        assertThat(trial.thrown()).isSameAs(DOWN);
        assertThat(trial.reason()).isEqualTo(StopReason.INTERRUPTED);
    }

    @Test
    void aSleeperThatFailsEndsTheCallWithTheErrorOfTheAttempt() {
        IOException down = new IOException("down");
        NoClassDefFoundError fault = new NoClassDefFoundError("sleeper");
        Trial trial = new Trial(
                        Trial.policy(),
                        engine -> engine.sleeper(delay -> {
                            throw fault;
                        }))
                .call(down);

        assertThat(trial.attempts()).isOne();
        assertThat(trial.thrown()).isSameAs(down);
        assertThat(down.getSuppressed()).contains(fault);
        assertThat(trial.reason()).isEqualTo(StopReason.REJECTED);
        assertThat(trial.retry.waiting()).isZero();
    }

    @Test
    void aSleeperThatFailsEndsTheCallWithTheValueOfTheAttempt() {
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            IllegalStateException fault = new IllegalStateException("sleeper");
            Trial trial = new Trial(
                            Trial.policy().retryIf((value, call) -> true),
                            engine -> engine.sleeper(delay -> {
                                throw fault;
                            }))
                    .call("pending");

            assertThat(trial.value()).isEqualTo("pending");
            assertThat(trial.reason()).isEqualTo(StopReason.REJECTED);
            assertThat(warnings.causes()).containsExactly(fault);
        }
    }
}
