// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Who is asked whether to continue: rules 6 and 7, and what becomes of those that fail at it. */
class DecisionGateTests {

    private static final IOException DOWN = new IOException("down");

    private static RetryDecider answering(boolean answer) {
        return new RetryDecider() {
            @Override
            public boolean shouldRetry(RetryContext context, @Nullable Throwable error) {
                return answer;
            }
        };
    }

    // 6. Deciders.

    @Test
    void aDeciderCanSayNo() {
        Trial trial = new Trial(Trial.policy(), engine -> engine.decider(answering(false)));

        trial.call(DOWN, "up");

        assertThat(trial.reason()).isEqualTo(StopReason.REJECTED);
        assertThat(trial.thrown()).isSameAs(DOWN);
        assertThat(trial.attempts()).isEqualTo(1);
    }

    @Test
    void aDeciderThatSaysNothingLeavesItToThePolicy() {
        Trial trial = new Trial(Trial.policy(), engine -> engine.decider(new RetryDecider() {}));

        assertThat(trial.call(DOWN, "up").waits()).containsExactly(Duration.ofSeconds(1));
    }

    @Test
    void aDeciderMayAskTheDefaults() {
        List<Object> defaults = new ArrayList<>();
        Trial trial = new Trial(
                Trial.policy(),
                engine -> engine.decider(new RetryDecider() {

                    @Override
                    public boolean shouldRetry(RetryContext call, @Nullable Throwable error) {
                        defaults.add(RetryDecider.super.shouldRetry(call, error));
                        return true;
                    }

                    @Override
                    public Duration delay(RetryContext call, @Nullable Throwable error) {
                        defaults.add(RetryDecider.super.delay(call, error));
                        return Duration.ZERO;
                    }
                }));

        trial.call(DOWN, "up");

        assertThat(defaults).containsExactly(true, Duration.ZERO);
    }

    @Test
    void oneNoIsEnoughAndTheOthersAreNotAsked() {
        List<String> asked = new ArrayList<>();
        BiFunction<String, Boolean, RetryDecider> decider = (name, answer) -> new RetryDecider() {
            @Override
            public boolean shouldRetry(RetryContext context, @Nullable Throwable error) {
                return asked.add(name) && answer;
            }

            @Override
            public Duration delay(RetryContext context, @Nullable Throwable error) {
                asked.add(name + "'s delay");
                return Duration.ZERO;
            }
        };
        Trial trial = new Trial(
                Trial.policy().onlyIf((error, call) -> asked.add("gate")),
                engine -> engine.decider(decider.apply("first", true))
                        .decider(decider.apply("second", false))
                        .decider(decider.apply("third", true)));

        assertThat(trial.call(DOWN).reason()).isEqualTo(StopReason.REJECTED);
        assertThat(asked).containsExactly("first", "second");
    }

    @Test
    void decidersSeeTheFailedAttemptAndItsError() {
        List<String> seen = new ArrayList<>();
        Trial trial = new Trial(
                Trial.policy().maxAttempts(3),
                engine -> engine.decider(new RetryDecider() {
                    @Override
                    public boolean shouldRetry(RetryContext context, @Nullable Throwable error) {
                        return note("asked", context, error);
                    }

                    @Override
                    public Duration delay(RetryContext context, @Nullable Throwable error) {
                        note("how long", context, error);
                        return Duration.ZERO;
                    }

                    private boolean note(String question, RetryContext context, @Nullable Throwable error) {
                        assertThat(context.lastError()).isSameAs(error);
                        assertThat(context.subject().target()).isEqualTo("subject");
                        return seen.add(question + " " + context.attempt() + " of " + context.maxAttempts() + " "
                                + error.getMessage());
                    }
                }));

        trial.call(new IOException("one"), new IOException("two"), "up");

        assertThat(seen)
                .containsExactly("asked 1 of 3 one", "how long 1 of 3 one", "asked 2 of 3 two", "how long 2 of 3 two");
    }

    // 7. Gates.

    @Test
    void onlyIfHasToSayYesAndUnlessNo() {
        assertThat(new Trial(Trial.policy().onlyIf((error, call) -> false))
                        .call(DOWN, "up")
                        .reason())
                .isEqualTo(StopReason.REJECTED);
        assertThat(new Trial(Trial.policy().unless((error, call) -> true))
                        .call(DOWN, "up")
                        .reason())
                .isEqualTo(StopReason.REJECTED);
        assertThat(new Trial(Trial.policy().onlyIf((error, call) -> true).unless((error, call) -> false))
                        .call(DOWN, "up")
                        .value())
                .isEqualTo("up");
    }

    @Test
    void gatesAreAskedAfterEachAttemptAndBeforeAnyWait() {
        List<String> asked = new ArrayList<>();
        Trial[] trial = new Trial[1];
        trial[0] = new Trial(Trial.policy()
                .onlyIf((error, call) -> asked.add("onlyIf " + call.attempt() + " after "
                        + trial[0].waits().size() + " waits"))
                .unless((error, call) -> asked.add("unless " + call.attempt()) && call.attempt() == 2));

        trial[0].call(DOWN);

        assertThat(trial[0].reason()).isEqualTo(StopReason.REJECTED);
        assertThat(asked).containsExactly("onlyIf 1 after 0 waits", "unless 1", "onlyIf 2 after 1 waits", "unless 2");
    }

    @Test
    void unlessIsNotAskedWhenOnlyIfSaysNo() {
        Trial trial = new Trial(Trial.policy().onlyIf((error, call) -> false).unless((error, call) -> {
            throw new AssertionError("asked");
        }));

        trial.call(new IOException("down"));

        assertThat(trial.thrown().getSuppressed()).hasOnlyElementsOfType(RetryHistory.class);
    }

    @Test
    void aGateComesBeforeAnyQuestionOfDelay() {
        RetrySignal tooLong = RetrySignal.retryAfter("busy", Duration.ofDays(1));
        Trial trial = new Trial(
                Trial.policy().unless((error, call) -> true), engine -> engine.decider(throwingAtDelay("asked")));

        assertThat(trial.call(tooLong).reason()).isEqualTo(StopReason.REJECTED);
        assertThat(tooLong.getSuppressed()).hasOnlyElementsOfType(RetryHistory.class);
    }

    // Those that fail.

    private static RetryDecider throwingAtDelay(String message) {
        return new RetryDecider() {
            @Override
            public Duration delay(RetryContext context, @Nullable Throwable error) {
                throw new IllegalStateException(message);
            }
        };
    }

    private static <T> BiPredicate<T, RetryContext> throwing(Throwable fault) {
        return (asked, call) -> DecisionGateTests.<RuntimeException>sneak(fault);
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> boolean sneak(Throwable fault) throws E {
        throw (E) fault;
    }

    @Test
    void aGateThatThrowsEndsTheCallWithTheOriginalError() {
        for (Throwable fault : new Throwable[] {new IllegalStateException("broken"), new LinkageError("broken")}) {
            for (Trial trial : new Trial[] {
                new Trial(Trial.policy().onlyIf(throwing(fault))),
                new Trial(Trial.policy().unless(throwing(fault)))
            }) {
                IOException error = new IOException("down");

                trial.call(error, "up");

                assertThat(trial.thrown()).isSameAs(error);
                assertThat(trial.attempts()).isEqualTo(1);
                assertThat(trial.reason()).isEqualTo(StopReason.REJECTED);
                assertThat(error.getSuppressed()).hasSize(2).contains(fault);
            }
        }
    }

    @Test
    void aDeciderThatThrowsEndsTheCallWithTheOriginalError() {
        RetryDecider undecided = new RetryDecider() {
            @Override
            public boolean shouldRetry(RetryContext context, @Nullable Throwable error) {
                throw new IllegalStateException("undecided");
            }
        };
        for (RetryDecider decider : new RetryDecider[] {undecided, throwingAtDelay("undecided")}) {
            IOException error = new IOException("down");
            Trial trial = new Trial(Trial.policy(), engine -> engine.decider(decider));

            trial.call(error, "up");

            assertThat(trial.thrown()).isSameAs(error);
            assertThat(trial.reason()).isEqualTo(StopReason.REJECTED);
            assertThat(error.getSuppressed()[0]).hasMessage("undecided");
        }
    }

    @Test
    void aGateMayThrowTheErrorThatItWasAskedAbout() {
        IOException error = new IOException("down");
        Trial trial =
                new Trial(Trial.policy().onlyIf((failure, call) -> DecisionGateTests.<RuntimeException>sneak(failure)));

        trial.call(error, "up");

        assertThat(trial.thrown()).isSameAs(error);
        assertThat(trial.reason()).isEqualTo(StopReason.REJECTED);
        assertThat(error.getSuppressed()).hasOnlyElementsOfType(RetryHistory.class);
    }

    @Test
    void theFaultIsSuppressedInWhatTheCallerGetsEvenIfThatIsAWrapper() {
        IllegalStateException fault = new IllegalStateException("broken");
        CompletionException wrapper = new CompletionException(new IOException("down"));
        Trial trial = new Trial(Trial.policy().onlyIf(throwing(fault)));

        trial.call(wrapper, "up");

        assertThat(trial.thrown()).isSameAs(wrapper);
        assertThat(wrapper.getSuppressed()).contains(fault);
        assertThat(wrapper.getCause().getSuppressed()).isEmpty();
    }

    @Test
    void aGateThatThrowsAboutAValueIsLoggedAndTheValueReturned() {
        IllegalStateException fault = new IllegalStateException("broken");
        Trial trial = new Trial(
                Trial.policy().retryIf((value, call) -> "pending".equals(value)).onlyIf(throwing(fault)));
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            assertThat(trial.call("pending", "done").value()).isEqualTo("pending");
            assertThat(trial.reason()).isEqualTo(StopReason.REJECTED);
            assertThat(warnings.causes()).containsExactly(fault);
            assertThat(warnings.messages()).singleElement().asString().startsWith("trial: ");
        }
    }
}
