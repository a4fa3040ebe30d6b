// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** What running code can know of the call that it is an attempt of. */
class RetryContextTests {

    private static final IOException DOWN = new IOException("down");

    private final VirtualTime time = new VirtualTime();

    private Retry retry(String name, RetryPolicyBuilder policy) {
        return Retry.builder(name, policy.build()).engine(time.engine().build()).build();
    }

    @Test
    void aCallThatIsStoredNowhereIsNotDurable() {
        boolean durable = new Trial(Trial.policy())
                .retry.<Boolean, RuntimeException>call(
                        () -> RetryContext.current().isDurable());
        assertThat(durable).isFalse();
    }

    @Test
    void thereIsNoneOutsideAnyAttempt() {
        assertThat(RetryContext.find()).isEmpty();
        assertThatIllegalStateException()
                .isThrownBy(RetryContext::current)
                .withMessageContaining("No retried call is running on this thread");
    }

    @Test
    void itIsThereDuringAnAttemptAndGoneAfterwards() {
        Retry retry = retry("catalogue", Trial.policy());

        assertThat(retry.call(() -> RetryContext.current().name())).isEqualTo("catalogue");
        assertThat(RetryContext.find()).isEmpty();
        retry.capture(() -> {
            throw DOWN;
        });
        assertThat(RetryContext.find()).isEmpty();
        retry.capture(() -> {
            throw new IllegalStateException();
        });
        assertThat(RetryContext.find()).isEmpty();
    }

    @Test
    void itIsTheSameAllThroughACall() throws IOException {
        List<RetryContext> seen = new ArrayList<>();

        retry("catalogue", Trial.policy().onlyIf((error, call) -> seen.add(call)))
                .call(() -> {
                    assertThat(RetryContext.find()).containsSame(RetryContext.current());
                    seen.add(RetryContext.current());
                    if (seen.size() < 3) {
                        throw DOWN;
                    }
                    return "up";
                });

        assertThat(seen).hasSize(3).allSatisfy(context -> assertThat(context).isSameAs(seen.get(0)));
    }

    @Test
    void itTellsAttemptAndMaximum() {
        List<String> seen = new ArrayList<>();

        retry("catalogue", Trial.policy().maxAttempts(3)).capture(() -> {
            RetryContext context = RetryContext.current();
            seen.add(context.attempt() + "/" + context.maxAttempts() + (context.isLastAttempt() ? " last" : ""));
            throw DOWN;
        });

        assertThat(seen).containsExactly("1/3", "2/3", "3/3 last");
    }

    @Test
    void theFirstAttemptIsTheLastIfNothingIsRetried() {
        assertThat(retry("once", Trial.policy().maxAttempts(1))
                        .call(() -> RetryContext.current().isLastAttempt()))
                .isTrue();
        assertThat(retry("never", Trial.policy().retryable(false))
                        .call(() -> RetryContext.current().isLastAttempt()))
                .isTrue();
        assertThat(retry("always", Trial.policy().maxAttempts(Integer.MAX_VALUE))
                        .call(() -> RetryContext.current().isLastAttempt()))
                .isFalse();
    }

    @Test
    void itTellsTheErrorOfThePreviousAttemptUnwrapped() {
        List<Throwable> seen = new ArrayList<>();

        retry("catalogue", Trial.policy().maxAttempts(3).retryIf((value, call) -> true))
                .capture(() -> {
                    seen.add(RetryContext.current().lastError());
                    if (seen.size() == 1) {
                        throw new ExecutionException(DOWN);
                    }
                    return "value";
                });

        // Nothing before the first attempt, nothing after a value.
        assertThat(seen).containsExactly(null, DOWN, null);
    }

    @Test
    void theCallIdIsTheSameForAllAttemptsAndAnotherForEachCall() {
        List<String> ids = new ArrayList<>();
        Retry retry = retry("catalogue", Trial.policy().maxAttempts(3));

        for (int call = 0; call < 2; call++) {
            retry.capture(() -> {
                ids.add(RetryContext.current().callId());
                throw DOWN;
            });
        }

        assertThat(ids).hasSize(6);
        assertThat(ids.subList(0, 3)).containsOnly(ids.get(0));
        assertThat(ids.subList(3, 6)).containsOnly(ids.get(3)).doesNotContain(ids.get(0));
        assertThat(UUID.fromString(ids.get(0))).isNotNull();
    }

    @Test
    void attributesLiveAsLongAsTheCall() {
        List<Object> seen = new ArrayList<>();
        Retry retry = retry("catalogue", Trial.policy().maxAttempts(2));

        for (int call = 0; call < 2; call++) {
            retry.capture(() -> {
                seen.add(RetryContext.current()
                        .attributes()
                        .put("cursor", RetryContext.current().attempt()));
                throw DOWN;
            });
        }

        assertThat(seen).containsExactly(null, 1, null, 1);
    }

    @Test
    void nestedCallsSeeTheirOwnAndGetTheOuterOneBack() throws IOException {
        Retry outer = retry("outer", Trial.policy());
        Retry inner = retry("inner", Trial.policy().maxAttempts(2));
        List<String> seen = new ArrayList<>();

        outer.call(() -> {
            RetryContext own = RetryContext.current();
            note(seen);
            inner.capture(() -> {
                note(seen);
                assertThat(RetryContext.current().callId()).isNotEqualTo(own.callId());
                throw DOWN;
            });
            note(seen);
            inner.call(() -> "up at once");
            assertThat(RetryContext.current()).isSameAs(own);
            if (own.attempt() < 2) {
                throw DOWN;
            }
            return "up";
        });

        assertThat(seen)
                .containsExactly(
                        "outer 1", "inner 1", "inner 2", "outer 1", "outer 2", "inner 1", "inner 2", "outer 2");
        assertThat(RetryContext.find()).isEmpty();
    }

    private static void note(List<String> seen) {
        seen.add(RetryContext.current().name() + " " + RetryContext.current().attempt());
    }

    @Test
    void gatesAndListenersSeeTheCallThatTheyAreAskedAbout() {
        List<String> seen = new ArrayList<>();
        Retry retry = Retry.builder(
                        "catalogue",
                        Trial.policy()
                                .maxAttempts(2)
                                .onlyIf((error, call) -> seen.add(
                                        "gate of " + RetryContext.current().name()))
                                .build())
                .engine(time.engine()
                        .listener(event ->
                                seen.add("listener of " + RetryContext.current().name()))
                        .build())
                .build();

        retry.capture(() -> {
            throw DOWN;
        });

        assertThat(seen).containsExactly("gate of catalogue", "listener of catalogue", "listener of catalogue");
    }

    @Test
    void aNestedCallInAGateOrListenerGivesTheContextBack() {
        Retry inner = retry("inner", Trial.policy());
        List<String> seen = new ArrayList<>();
        Retry retry = Retry.builder("outer", Trial.policy().maxAttempts(2).build())
                .engine(time.engine().listener(event -> inner.call(() -> "up")).build())
                .build();

        retry.capture(() -> {
            note(seen);
            throw DOWN;
        });

        assertThat(seen).containsExactly("outer 1", "outer 2");
    }

    @Test
    void elapsedCountsFromTheStartIfThereIsATimeoutOrItIsAskedFor() {
        Duration[] fromTheStart = {
            Duration.ofSeconds(2), // attempt 1
            Duration.ofSeconds(5) // and a wait of a second, and attempt 2
        };

        assertThat(elapsed(Trial.policy().timeout(Duration.ofMinutes(1)), false))
                .containsExactly(fromTheStart);
        assertThat(elapsed(Trial.policy(), true)).containsExactly(fromTheStart);
    }

    @Test
    void elapsedCountsFromTheEndOfTheFirstAttemptOtherwise() {
        // 3 = 1 + 2, a wait and attempt 2
        assertThat(elapsed(Trial.policy(), false)).containsExactly(Duration.ZERO, Duration.ofSeconds(3));
    }

    /** What a gate is told after two attempts of two seconds each, which do not ask for the context themselves. */
    private List<Duration> elapsed(RetryPolicyBuilder policy, boolean timed) {
        List<Duration> elapsed = new ArrayList<>();
        RetryBuilder builder = Retry.builder(
                        "slow",
                        policy.onlyIf((error, call) -> elapsed.add(call.elapsed()))
                                .maxAttempts(3)
                                .build())
                .engine(time.engine().build());
        Retry retry = builder.timed(timed).build();
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> retry.run(() -> {
                    time.advance(Duration.ofSeconds(2));
                    throw DOWN;
                }));
        return elapsed;
    }

    @Test
    void elapsedCountsFromTheFirstQuestionIfAnAttemptAsks() {
        time.advance(Duration.ofSeconds(7));

        Duration elapsed = retry("slow", Trial.policy()).call(() -> {
            time.advance(Duration.ofSeconds(2));
            RetryContext context = RetryContext.current();
            time.advance(Duration.ofSeconds(1));
            return context.elapsed();
        });

        assertThat(elapsed).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void elapsedIsNeverNegative() {
        long[] ticks = {100, 50, 20};
        int[] reads = new int[1];
        RetryBuilder builder = Retry.builder("odd", Trial.policy().build())
                .engine(RetryEngine.builder()
                        .time(Times.ticking(() -> ticks[Math.min(reads[0]++, 2)]))
                        .build());
        Retry retry = builder.timed(true).build();

        assertThat(retry.call(() -> RetryContext.current().elapsed())).isZero();
    }

    @Test
    void theDeadlineIsTheStartPlusTheTimeoutThroughout() {
        List<Instant> deadlines = new ArrayList<>();

        retry("limited", Trial.policy().maxAttempts(3).timeout(Duration.ofSeconds(30)))
                .capture(() -> {
                    time.advance(Duration.ofSeconds(4));
                    deadlines.add(RetryContext.current().deadline());
                    throw DOWN;
                });

        assertThat(deadlines).hasSize(3).containsOnly(VirtualTime.START.plusSeconds(30));
    }

    @Test
    void theDeadlineIsOneMomentThoughTheClockIsSetMeanwhile() {
        VirtualTime clock = new VirtualTime();
        RetryEngine engine = RetryEngine.builder()
                .time(new RetryTime() {
                    @Override
                    public long nanoTime() {
                        return time.nanoTime();
                    }

                    @Override
                    public Instant instant() {
                        return clock.instant();
                    }

                    @Override
                    public void sleep(Duration delay) {
                        time.sleep(delay);
                    }
                })
                .build();
        Retry retry = Retry.builder(
                        "limited",
                        Trial.policy()
                                .maxAttempts(3)
                                .timeout(Duration.ofSeconds(30))
                                .build())
                .engine(engine)
                .build();
        List<Instant> deadlines = new ArrayList<>();

        retry.capture(() -> {
            deadlines.add(RetryContext.current().deadline());
            clock.advance(Duration.ofHours(1));
            deadlines.add(RetryContext.current().deadline());
            throw DOWN;
        });

        // 6 = 3 attempts of 2 reads
        assertThat(deadlines).hasSize(6).containsOnly(VirtualTime.START.plusSeconds(30));
    }

    @Test
    void thereIsNoDeadlineWithoutATimeoutAndNoneBeyondTheEndOfTime() {
        assertThat(retry("unlimited", Trial.policy())
                        .<Instant, RuntimeException>call(
                                () -> RetryContext.current().deadline()))
                .isNull();
        assertThat(retry("endless", Trial.policy().timeout(Duration.ofSeconds(Long.MAX_VALUE)))
                        .<Instant, RuntimeException>call(
                                () -> RetryContext.current().deadline()))
                .isEqualTo(Instant.MAX);
    }

    @Test
    void gatesAndListenersKnowTheSubject() {
        List<Object> targets = new ArrayList<>();
        List<String> keys = new ArrayList<>();
        Trial trial = new Trial(
                Trial.policy().onlyIf((error, call) -> keys.add(call.subject().key())),
                engine -> engine.listener(
                        event -> targets.add(RetryContext.current().subject().target())));

        trial.call(DOWN, "up");

        assertThat(keys).containsExactly("trial");
        assertThat(targets).containsExactly("subject", "subject");
    }

    @Test
    void aFrameworkDescribesItsSubjects() {
        List<CallSubject> seen = new ArrayList<>();
        Trial trial = new Trial(
                Trial.policy().onlyIf((error, call) -> seen.add(call.subject())),
                engine -> engine,
                retry -> retry.subjects(subject -> CallSubject.of("Shop#open(String)", 42, subject)));

        trial.call(DOWN, DOWN, "up");

        assertThat(seen).hasSize(2);
        assertThat(seen.get(1)).as("described once a call").isSameAs(seen.get(0));
        assertThat(seen.get(0).key()).isEqualTo("Shop#open(String)");
        assertThat(seen.get(0).target()).isEqualTo(42);
        assertThat(seen.get(0).arguments()).containsExactly("subject");
        assertThat(seen.get(0)).hasToString("Shop#open(String)");
    }

    @Test
    void noSubjectIsKnownBeforeTheFirstFailure() {
        RetryContext[] seen = new RetryContext[1];
        new Trial(Trial.policy()).retry.run(() -> seen[0] = RetryContext.current());

        assertThat(seen[0].subject()).isNull();
    }
}
