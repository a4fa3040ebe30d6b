/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A call that is stored after each failure and goes on elsewhere: a third driver, beside the blocking and the asynchronous one. */
class StoredCallTests {

    private final VirtualTime time = new VirtualTime();

    private final List<RetryEvent> events = new ArrayList<>();

    private final RetryEngine engine = time.engine().listener(events::add).build();

    /** Makes the attempts of a call, each of them from nothing but what was stored. */
    private final class Driver {

        private final CallSettings settings;

        private final Deque<Object> outcomes;

        private CallState stored;

        private Duration delay;

        private @Nullable Object value;

        private @Nullable Throwable thrown;

        Driver(CallSettings.Draft draft, Object... outcomes) {
            draft.engine = engine;
            this.settings = new CallSettings(draft);
            this.outcomes = new ArrayDeque<>(Arrays.asList(outcomes));
        }

        void run() {
            attempt(new RetryCall(settings));
            while (stored != null) {
                time.advance(delay);
                RetryCall call = RetryCall.restore(settings, stored);
                stored = null;
                call.next(delay);
                attempt(call);
            }
        }

        private void attempt(RetryCall call) {
            call.about("subject");
            Object outcome = outcomes.remove();
            thrown = outcome instanceof Throwable error ? error : null;
            value = thrown == null ? outcome : null;
            if (thrown == null && call.accepts("subject", value)) {
                call.publishSuccess();
                return;
            }
            RetryDecision decision = RetryDecision.decide(call, call.failed(thrown), thrown, false);
            if (decision.delay() != null) {
                call.publishRetry(decision.delay());
                delay = decision.delay();
                stored = call.state();
                return;
            }
            CallEnd end = new CallEnd(call, decision.stop(), thrown, value, null);
            end.recover();
            value = end.value();
            thrown = end.thrown();
            end.close();
        }
    }

    private static CallSettings.Draft draft(RetryPolicyBuilder policy) {
        return new CallSettings.Draft("stored", policy.build());
    }

    private static IOException down(int attempt) {
        return new IOException("down " + attempt);
    }

    @Test
    void endsAsACallThatStaysInMemory() {
        IOException last = down(3);
        RetryPolicyBuilder policy = Trial.policy().backoff("exponential").maxAttempts(3);
        Trial inMemory = new Trial(policy).call(down(1), down(2), down(3));
        Driver driver = new Driver(draft(policy), down(1), down(2), last);

        driver.run();

        assertThat(driver.thrown).isSameAs(last);
        assertThat(events).extracting(Object::getClass).isEqualTo(classes(inMemory.events()));
        assertThat(events).extracting(RetryEvent::attempt).containsExactly(1, 2, 3);
        assertThat(events)
                .extracting(RetryEvent::callId)
                .containsOnly(events.get(0).callId());
        // 3 s = 1 s + 2 s
        assertThat(events.get(2).elapsed()).isEqualTo(Duration.ofSeconds(3));
        assertThat(last.getSuppressed()[0])
                .hasMessage("stored: 3 attempts, EXHAUSTED; waited [PT1S, PT2S]; "
                        + "errors before the last: [java.io.IOException: down 1, java.io.IOException: down 2]");
    }

    private static List<Class<?>> classes(List<RetryEvent> events) {
        List<Class<?>> classes = new ArrayList<>();
        events.forEach(event -> classes.add(event.getClass()));
        return classes;
    }

    @Test
    void succeedsAfterRetries() {
        Driver driver = new Driver(draft(Trial.policy()), down(1), down(2), "up");

        driver.run();

        assertThat(driver.value).isEqualTo("up");
        assertThat(events).last().isInstanceOf(RetrySucceeded.class);
        assertThat(((RetrySucceeded) events.get(2)).retries()).isEqualTo(2);
    }

    @Test
    void theTimeoutCountsFromTheFirstAttempt() {
        Driver driver =
                new Driver(draft(Trial.policy().timeout(Duration.ofMillis(2500))), down(1), down(2), down(3), down(4));

        driver.run();

        assertThat(driver.thrown).hasMessage("down 3");
        assertThat(((RetryFailed) events.get(2)).reason()).isEqualTo(StopReason.TIMEOUT);
    }

    @Test
    void previousIsWhatWasWaitedBeforeTheCallWasStored() {
        List<Duration> previous = new ArrayList<>();
        Driver driver = new Driver(
                draft(Trial.policy().maxAttempts(3).backoff((retry, base, last) -> {
                    previous.add(last);
                    return Duration.ofSeconds(retry);
                })),
                down(1),
                down(2),
                down(3));

        driver.run();

        assertThat(previous).containsExactly(null, Duration.ofSeconds(1));
    }

    @Test
    void theRecoveryServesTheCallerAndTheEventSaysSo() {
        CallSettings.Draft draft = draft(Trial.policy().maxAttempts(2));
        draft.recovery = (subject, failure) -> "recovered " + subject + " after " + failure.attempts();
        Driver driver = new Driver(draft, down(1), down(2));

        driver.run();

        assertThat(driver.value).isEqualTo("recovered subject after 2");
        assertThat(driver.thrown).isNull();
        assertThat(((RetryFailed) events.get(1)).recovered()).isTrue();
    }

    @Test
    void theStateHoldsNeitherErrorsNorArguments() throws Exception {
        RetryCall call = new RetryCall(new CallSettings(draft(Trial.policy())));
        Object argument = new Object();
        call.about(argument);
        call.failed(down(1));
        call.next(Duration.ofSeconds(1));
        call.failed(down(2));

        CallState state = call.state();

        assertThat(Reachable.from(state)).noneMatch(each -> each instanceof Throwable || each == argument);
        assertThat(state.attempt()).isEqualTo(2);
        assertThat(state.error()).hasToString("java.io.IOException: down 2");
        assertThat(state.past()).singleElement().satisfies(failed -> {
            assertThat(failed.number()).isEqualTo(1);
            assertThat(failed.error()).hasToString("java.io.IOException: down 1");
            assertThat(failed.delay()).hasSeconds(1);
        });
        assertThat(RetryCall.restore(call.settings(), state).state()).isEqualTo(state);
    }
}
