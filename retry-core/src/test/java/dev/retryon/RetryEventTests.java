// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What happens leaves as events: when, in which order and with what in them. */
@SuppressWarnings("serial")
class RetryEventTests {

    private static final IOException DOWN = new IOException("down");

    @Test
    void aCallThatSucceedsAtOnceIsSilent() {
        assertThat(new Trial(Trial.policy()).call("up").events()).isEmpty();
    }

    @Test
    void anEventKeepsNeitherTheCallNorItsArguments() throws Exception {
        VirtualTime time = new VirtualTime();
        List<RetryEvent> events = new ArrayList<>();
        Retry retry = Retry.builder("shop", Trial.policy().maxAttempts(2).build())
                .engine(time.engine().listener(events::add).build())
                .build();
        byte[] argument = new byte[1];

        retry.capture(argument, (subject, attempt) -> {
            RetryContext.current().attributes().put("argument", subject);
            throw new IOException("down");
        });

        assertThat(events).hasSize(2);
        assertThat(Reachable.from(events))
                .noneMatch(each -> each == argument
                        || each instanceof RetryContext
                        || each instanceof Retry
                        || each instanceof CallSettings);
    }

    @Test
    void aTextQuotesNoMessage() {
        Trial trial = new Trial(Trial.policy().maxAttempts(2));

        trial.call(new IOException("card 4711"));

        assertThat(trial.events())
                .hasSize(2)
                .noneMatch(event -> event.toString().contains("4711"));
    }

    @Test
    void eachRetryIsAnnouncedAndThenTheSuccess() {
        Trial trial = new Trial(Trial.policy().backoff("exponential").timeout(Duration.ofMinutes(1)));

        trial.call(DOWN, new IOException("again"), "up");

        assertThat(trial.events())
                .hasOnlyElementsOfTypes(RetryScheduled.class, RetrySucceeded.class)
                .extracting(RetryEvent::toString)
                .containsExactly(
                        "trial: attempt 1 of 6 failed, next in 1s: java.io.IOException",
                        "trial: attempt 2 of 6 failed, next in 2s: java.io.IOException",
                        "trial: succeeded at attempt 3 of 6");
        RetryScheduled first = (RetryScheduled) trial.events().get(0);
        assertThat(first.attempt()).isEqualTo(1);
        assertThat(first.nextAttempt()).isEqualTo(2);
        assertThat(first.delay()).isEqualTo(Duration.ofSeconds(1));
        assertThat(first.error()).isSameAs(DOWN);
        assertThat(first.at()).isEqualTo(VirtualTime.START);
        assertThat(first.sinceFirstFailure()).isZero();
        RetryScheduled second = (RetryScheduled) trial.events().get(1);
        assertThat(second.at()).isEqualTo(VirtualTime.START.plusSeconds(1));
        assertThat(second.sinceFirstFailure()).isEqualTo(Duration.ofSeconds(1));
        RetrySucceeded last = (RetrySucceeded) trial.events().get(2);
        assertThat(last.attempt()).isEqualTo(3);
        assertThat(last.retries()).isEqualTo(2);
        assertThat(last.maxAttempts()).isEqualTo(6);
        assertThat(last.error()).as("of the last attempt that failed").hasMessage("again");
        // 3 = 1 + 2
        assertThat(last.at()).isEqualTo(VirtualTime.START.plusSeconds(3));
        assertThat(last.sinceFirstFailure()).isEqualTo(Duration.ofSeconds(3));
    }

    /** Whether the clock is read before the first attempt, because of a time limit or because the attempt asks for it. */
    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true"})
    void theTimeCountsFromTheFirstFailure(boolean limited, boolean asked) {
        RetryPolicyBuilder policy = limited ? Trial.policy().timeout(Duration.ofMinutes(1)) : Trial.policy();
        Trial trial = new Trial(policy.maxAttempts(3));
        trial.time.advance(Duration.ofMinutes(3));

        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> trial.retry.run(() -> {
                    if (asked) {
                        assertThat(RetryContext.current().attempt()).isPositive();
                    }
                    trial.time.advance(Duration.ofSeconds(10));
                    throw DOWN;
                }));

        // 11 = 1 + 10, a wait and an attempt
        assertThat(trial.events())
                .extracting(RetryEvent::sinceFirstFailure)
                .containsExactly(Duration.ZERO, Duration.ofSeconds(11), Duration.ofSeconds(22));
    }

    @Test
    void theFailureOfACallIsAnEvent() {
        Trial trial = new Trial(Trial.policy().maxAttempts(2));

        trial.call(DOWN);

        assertThat(trial.events()).hasSize(2);
        RetryFailed failed = (RetryFailed) trial.events().get(1);
        assertThat(failed.name()).isEqualTo("trial");
        assertThat(failed.attempt()).isEqualTo(2);
        assertThat(failed.retries()).isEqualTo(1);
        assertThat(failed.reason()).isEqualTo(StopReason.EXHAUSTED);
        assertThat(failed.recovered()).isFalse();
        assertThat(failed.error()).isSameAs(DOWN);
        assertThat(failed).hasToString("trial: failed after attempt 2 of 2 (EXHAUSTED): java.io.IOException");
    }

    @Test
    void aFailureThatIsNotRetriedIsToldToo() {
        Trial trial = new Trial(Trial.policy());

        trial.call(new IllegalStateException());

        assertThat(trial.events()).singleElement().isInstanceOfSatisfying(RetryFailed.class, failed -> {
            assertThat(failed.reason()).isEqualTo(StopReason.NOT_RETRYABLE);
            assertThat(failed.retries()).isZero();
        });
    }

    @Test
    void allEventsOfACallCarryItsId() {
        Trial trial = new Trial(Trial.policy().maxAttempts(3));
        String[] id = new String[1];

        trial.retry.capture(() -> {
            id[0] = RetryContext.current().callId();
            throw DOWN;
        });

        assertThat(trial.events()).hasSize(3).extracting(RetryEvent::callId).containsOnly(id[0]);
        assertThat(UUID.fromString(id[0])).isNotNull();
    }

    @Test
    void aRetryIsAnnouncedBeforeItsWait() {
        List<String> order = new ArrayList<>();
        Retry retry = Retry.builder("catalogue", Trial.policy().maxAttempts(2).build())
                .engine(RetryEngine.builder()
                        .time(Times.sleeping(delay -> order.add("wait")))
                        .listener(event -> order.add(event.getClass().getSimpleName()))
                        .build())
                .build();

        retry.capture(() -> {
            order.add("attempt");
            throw DOWN;
        });

        assertThat(order).containsExactly("attempt", "RetryScheduled", "wait", "attempt", "RetryFailed");
    }

    @Test
    void listenersAreToldInTheirOrder() {
        List<String> order = new ArrayList<>();
        Trial trial = new Trial(
                Trial.policy().maxAttempts(1),
                engine -> engine.listener(event -> order.add("one")).listener(event -> order.add("two")));

        trial.call(DOWN);

        assertThat(order).containsExactly("one", "two");
    }

    @Test
    void aListenerThatThrowsIsLoggedAndChangesNothing() {
        List<RetryEvent> told = new ArrayList<>();
        Trial trial = new Trial(
                Trial.policy().maxAttempts(3),
                engine -> engine.listener(event -> {
                            throw new LinkageError("broken listener");
                        })
                        .listener(told::add));
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            IOException error = new IOException("down");

            assertThat(trial.call(error, error, "up").value()).isEqualTo("up");
            assertThat(told).as("the others are told").hasSize(3);
            assertThat(error.getSuppressed()).isEmpty();
            assertThat(warnings.messages())
                    .containsExactly(
                            "trial: the retry listener a lambda in dev.retryon.RetryEventTests failed; the call"
                                    + " continues (logged once for java.lang.LinkageError)");
            assertThat(warnings.causes())
                    .singleElement()
                    .extracting(Throwable::getMessage)
                    .isEqualTo("broken listener");
        }
    }

    @Test
    void aListenerThatFailsAtTheTextOfAnErrorChangesNothing() {
        class Speechless extends IOException {
            @Override
            public String getMessage() {
                throw new IllegalStateException("speechless");
            }
        }
        Speechless error = new Speechless();
        Trial trial = new Trial(
                Trial.policy().maxAttempts(2),
                engine -> engine.listener(
                        event -> assertThat(event.error().getMessage()).isNotNull()));
        try (LoggedWarnings warnings = new LoggedWarnings()) {
            trial.call(error);

            assertThat(trial.thrown() == error)
                    .as("the caller gets its own error")
                    .isTrue();
            assertThat(trial.attempts()).isEqualTo(2);
            assertThat(warnings.messages()).hasSize(1);
        }
    }

    @Test
    void whatALoopDoesIsTheSameWithoutListeners() throws IOException {
        VirtualTime time = new VirtualTime();
        Retry retry = Retry.builder("quiet", Trial.policy().build())
                .engine(time.engine().build())
                .build();
        int[] attempts = new int[1];

        String value = retry.call(() -> {
            if (++attempts[0] < 3) {
                throw DOWN;
            }
            return "up";
        });

        assertThat(value).isEqualTo("up");
        assertThat(time.waits()).hasSize(2);
    }

    @Test
    void aRetrysOwnListenerIsToldFirstAndOnlyOfItsCalls() {
        List<String> told = new ArrayList<>();
        RetryEngine engine = new VirtualTime()
                .engine()
                .executor(Runnable::run)
                .listener(event -> told.add("engine: " + event.name()))
                .build();
        RetryPolicy policy = Trial.policy().maxAttempts(2).backoff("none").build();
        Retry heard = Retry.builder("heard", policy)
                .engine(engine)
                .listener(event -> {
                    told.add("own: " + event.getClass().getSimpleName());
                    throw new IllegalStateException("a listener changes nothing");
                })
                .build();
        RetryCallable<String, IOException> failing = () -> {
            throw new IOException("down");
        };

        try (LoggedWarnings warnings = new LoggedWarnings()) {
            heard.capture(failing);
            heard.toBuilder(policy).build().callAsync(() -> CompletableFuture.failedFuture(new IOException("down")));
            Retry.builder("other", policy).engine(engine).build().capture(failing);
        }

        assertThat(told.subList(0, 4))
                .containsExactly("own: RetryScheduled", "engine: heard", "own: RetryFailed", "engine: heard");
        assertThat(told).filteredOn("own: RetryScheduled"::equals).hasSize(2);
        assertThat(told).filteredOn("engine: other"::equals).hasSize(2);
    }
}
