// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a call's time, number or story is at an edge. */
class CallEdgesTests {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();

    @AfterEach
    void noInterruptIsLeft() {
        assertThat(Thread.interrupted()).isFalse();
    }

    private static IOException down(int attempt) {
        return new IOException("down " + attempt);
    }

    private Retry retry(String name, RetryPolicyBuilder policy) {
        return Retry.builder(name, policy.build()).engine(time.engine().build()).build();
    }

    /** A ticker can start anywhere, as {@link System#nanoTime} does. */
    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -1_000, 0, Long.MAX_VALUE})
    void elapsedTimeCountsFromWhereverTheTickerStands(long now) {
        List<Duration> elapsed = new ArrayList<>();
        RetryPolicyBuilder policy = Trial.policy().maxAttempts(2).onlyIf((error, context) -> {
            elapsed.add(context.elapsed());
            return true;
        });

        new Trial(policy, engine -> engine.time(Times.ticking(() -> now))).call(down(1), "up");

        assertThat(elapsed).containsExactly(Duration.ZERO);
    }

    @Test
    void elapsedTimeCountsFromTheFirstRetryAtTheLatestWhoeverListens() {
        List<RetryEvent> heard = new ArrayList<>();
        RetryListener successes = event -> {
            if (event instanceof RetrySucceeded) {
                heard.add(event);
            }
        };
        Retry retry = Retry.builder("quiet", Trial.policy().build())
                .engine(time.engine().listener(successes).build())
                .build();
        AtomicInteger attempts = new AtomicInteger();

        assertThat(retry.capture(() -> {
                            if (attempts.incrementAndGet() < 3) {
                                throw down(1);
                            }
                            return "up";
                        })
                        .elapsed())
                .isEqualTo(SECOND.multipliedBy(2));
        attempts.set(0);
        try {
            retry.run(() -> {
                if (attempts.incrementAndGet() < 3) {
                    throw down(1);
                }
            });
        } catch (IOException ex) {
            throw new AssertionError(ex);
        }

        assertThat(heard)
                .hasSize(2)
                .allSatisfy(event -> assertThat(event.sinceFirstFailure()).isEqualTo(SECOND.multipliedBy(2)));
    }

    private Retry resumed(RetryPolicyBuilder policy, CallState state, RetryListener listener, List<FailedCall> kept) {
        RetryEngine engine =
                time.engine().listener(listener).deadLetters(kept::add).build();
        CallHandover handover = (subject, next, delay) -> {};
        Retry retry = Retry.builder("stored", policy.build())
                .engine(engine)
                .handOver(handover)
                .build();
        return retry.resume(state, SECOND, () -> true);
    }

    @Test
    void theEventOfAStoredRetryHasTheTimeOfTheFailure() {
        List<RetryEvent> heard = new ArrayList<>();
        Retry retry = Retry.builder("stored", Trial.policy().build())
                .engine(time.engine().listener(heard::add).build())
                .handOver((subject, state, delay) -> time.advance(SECOND))
                .build();

        retry.capture(() -> {
            throw down(1);
        });

        assertThat(heard).singleElement().isInstanceOf(RetryScheduled.class).returns(VirtualTime.START, RetryEvent::at);
    }

    @Test
    void aStoredCallRemembersWhenItsAttemptsFailed() {
        Instant before = VirtualTime.START.minusSeconds(60);
        CallState state = new CallState("id", 1, null, before, List.of(), ErrorText.of(down(1)), before, null);
        List<FailedCall> kept = new ArrayList<>();

        assertThatThrownBy(() -> resumed(Trial.policy().maxAttempts(2), state, event -> {}, kept)
                        .run(() -> {
                            throw down(2);
                        }))
                .hasMessage("down 2");

        assertThat(kept).singleElement().satisfies(call -> {
            assertThat(call.state().past())
                    .singleElement()
                    .returns(before, CallState.Failed::failedAt)
                    .returns(SECOND, CallState.Failed::delay);
            assertThat(call.state().failedAt()).isEqualTo(time.instant());
        });
    }

    @Test
    void aCallThatWasStoredBeforeItsFirstAttemptHasNoneBefore() {
        List<FailedCall> kept = new ArrayList<>();

        assertThatThrownBy(() -> resumed(
                                Trial.policy().maxAttempts(1),
                                CallState.first("id", VirtualTime.START),
                                event -> {},
                                kept)
                        .run(() -> {
                            throw down(1);
                        }))
                .hasMessage("down 1");

        assertThat(kept).singleElement().satisfies(call -> {
            assertThat(call.state().attempt()).isOne();
            assertThat(call.state().past()).isEmpty();
            assertThat(call.state().lastDelay()).isNull();
        });
    }

    @Test
    void aStoredCallThatSucceedsNamesTheErrorThatWasStored() throws Exception {
        AtomicReference<RetryEvent> last = new AtomicReference<>();
        CallState state = new CallState(
                "id", 1, null, VirtualTime.START, List.of(), ErrorText.of(down(1)), VirtualTime.START, null);

        assertThat(resumed(Trial.policy(), state, last::set, new ArrayList<>()).call(() -> "up"))
                .isEqualTo("up");

        assertThat(last.get()).isInstanceOfSatisfying(RetrySucceeded.class, event -> {
            assertThat(event.errorType()).isEqualTo("java.io.IOException");
            assertThat(event.error()).isNull();
        });
    }

    @ParameterizedTest
    @CsvSource({"-1000000000-01-01T00:00:00Z, RetryFailed", "+1000000000-12-31T23:59:59Z, RetryScheduled"})
    void aStoredCallMayHaveBegunAtAnyTime(Instant startedAt, String event) {
        AtomicReference<RetryEvent> last = new AtomicReference<>();
        CallState state = new CallState("id", 1, null, startedAt, List.of(), ErrorText.of(down(1)), null, null);
        RetryPolicyBuilder policy = Trial.policy().maxAttempts(5).timeout(Duration.ofDays(365));

        resumed(policy, state, last::set, new ArrayList<>()).capture(() -> {
            time.advance(SECOND);
            throw down(2);
        });

        assertThat(last.get().getClass().getSimpleName()).isEqualTo(event);
        if (last.get() instanceof RetryFailed failed) {
            assertThat(failed.reason()).isEqualTo(StopReason.TIMEOUT);
        }
    }

    /** Whoever stores a call must not be interrupted, and whoever interrupted the caller must be heard afterwards. */
    @ParameterizedTest
    @CsvSource({"false, false", "true, true"})
    void handingACallOverLeavesTheInterruptFlagAsItWas(boolean interrupted, boolean flag) throws Exception {
        List<Boolean> seen = new ArrayList<>();
        RetrySwitch retrySwitch = new RetrySwitch();
        CallHandover handover =
                (subject, state, delay) -> seen.add(Thread.currentThread().isInterrupted());
        Retry first = Retry.builder("stored", Trial.policy().build())
                .engine(time.engine().build())
                .retrySwitch(retrySwitch)
                .handOver(handover)
                .build();
        Retry retry = first.resume(CallState.first("id", VirtualTime.START), Duration.ZERO, () -> true);
        retrySwitch.turnOff();

        retry.run(() -> {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            throw down(1);
        });

        assertThat(Thread.interrupted()).isEqualTo(flag);
        assertThat(seen).containsExactly(false);
    }

    @Test
    void handingAnInterruptedAttemptOverSetsTheFlagAgain() throws Exception {
        List<Duration> taken = new ArrayList<>();
        CallHandover handover = (subject, state, delay) -> taken.add(delay);
        Retry first = Retry.builder("stored", Trial.policy().build())
                .engine(time.engine().build())
                .handOver(handover)
                .build();

        first.resume(CallState.first("id", VirtualTime.START), Duration.ZERO, () -> true)
                .run(() -> {
                    throw new InterruptedException();
                });

        assertThat(Thread.interrupted()).isTrue();
        assertThat(taken).containsExactly(SECOND);
    }

    @Test
    void anErrorOfTwoCallsTellsTheStoryOfTheOneThatEndedLast() {
        IOException constant = down(1);
        Retry inner = retry("inner", Trial.policy().maxAttempts(2));
        Retry outer = retry("outer", Trial.policy().maxAttempts(2));
        Retry other = retry("other", Trial.policy().maxAttempts(1));

        assertThatThrownBy(() -> outer.run(() -> inner.run(() -> {
                    throw constant;
                })))
                .isSameAs(constant);
        assertThat(constant.getSuppressed())
                .singleElement()
                .satisfies(
                        history -> assertThat(((RetryHistory) history).name()).isEqualTo("inner"));

        assertThatThrownBy(() -> other.run(() -> {
                    throw constant;
                }))
                .isSameAs(constant);
        assertThat(constant.getSuppressed())
                .singleElement()
                .satisfies(
                        history -> assertThat(((RetryHistory) history).name()).isEqualTo("other"));
    }

    @Test
    void aCallThatEndsInItsFirstAttemptLeavesTheStoryOfTheCallInIt() {
        IOException constant = down(1);
        Retry inner = retry("inner", Trial.policy().maxAttempts(2));
        Retry outer = retry("outer", Trial.policy().maxAttempts(1));

        assertThatThrownBy(() -> outer.run(() -> inner.run(() -> {
                    throw constant;
                })))
                .isSameAs(constant);

        assertThat(((RetryHistory) constant.getSuppressed()[0]).name()).isEqualTo("inner");
    }

    @Test
    void anEarlierCallOfTheThreadIsNotTheOneAround() throws Exception {
        IOException constant = down(1);
        Retry first = retry("first", Trial.policy().maxAttempts(1));
        Retry second = retry("second", Trial.policy().maxAttempts(1));

        first.call(() -> "leaves its mark on the thread");
        assertThatThrownBy(() -> second.run(() -> {
                    throw constant;
                }))
                .isSameAs(constant);
        assertThatThrownBy(() -> first.run(() -> {
                    throw constant;
                }))
                .isSameAs(constant);

        assertThat(((RetryHistory) constant.getSuppressed()[0]).name()).isEqualTo("first");
    }

    @ParameterizedTest
    @CsvSource({"32, java.io.IOException", "33, java.util.concurrent.CompletionException"})
    void wrappersAreTakenOffToALimit(int wrappers, Class<?> seen) {
        Throwable error = down(1);
        for (int i = 0; i < wrappers; i++) {
            error = new CompletionException(error);
        }

        Trial trial = new Trial(Trial.policy()).call(error, "up");

        assertThat(trial.attempts()).isEqualTo(2); // a cause is listed in any case
        assertThat(trial.events().get(0).error()).isExactlyInstanceOf(seen);
    }

    @Test
    void anInterruptOutOfReadingACauseIsKept() {
        Throwable error = new IOException("down") {
            @Override
            public synchronized Throwable getCause() {
                throw CallEdgesTests.<RuntimeException>sneak(new InterruptedException());
            }
        };

        new Trial(Trial.policy().retryOn(IllegalStateException.class).maxAttempts(1))
                .call(new CompletionException(error));

        assertThat(Thread.interrupted()).isTrue();
    }

    @SuppressWarnings("unchecked")
    private static <X extends Throwable> X sneak(Throwable error) throws X {
        throw (X) error;
    }
}
