// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Hooks that surround each attempt after the first one. */
class AroundRetriesTests extends AsyncRetryFixture {

    private final List<String> steps = new ArrayList<>();

    @BeforeEach
    void listen() {
        engine.listener(event -> steps.add(event.getClass().getSimpleName()));
        engine.extensionErrorListener((kind, name, sentence, cause) -> steps.add(kind + ": " + cause.getMessage()));
    }

    /** Adds a hook that tells when it is opened and closed. */
    private void surround() {
        engine.aroundRetries(call -> {
            steps.add("open " + call.name() + " " + call.attempt() + " of " + call.maxAttempts());
            return () -> steps.add("close");
        });
    }

    private String blocking(RetryContext call, int failures) throws IOException {
        steps.add("attempt " + call.attempt());
        if (call.attempt() <= failures) {
            throw new IOException("attempt " + call.attempt());
        }
        return "value";
    }

    @Test
    void aBlockingAttemptIsSurroundedWhetherItThrowsOrReturns() throws Exception {
        surround();
        assertThat(retry().call(() -> blocking(RetryContext.current(), 2))).isEqualTo("value");

        assertThat(steps)
                .containsExactly(
                        "attempt 1",
                        "RetryScheduled",
                        "open catalogue 2 of 3",
                        "attempt 2",
                        "close",
                        "RetryScheduled",
                        "open catalogue 3 of 3",
                        "attempt 3",
                        "close",
                        "RetrySucceeded");
    }

    @Test
    void anAsynchronousAttemptIsSurroundedUntilItHasReturnedItsStage() {
        surround();
        var called = retry().callAsync(() -> {
            steps.add("attempt " + RetryContext.current().attempt());
            return failing(1);
        });
        time.advance(SECOND);

        assertThat(called).isCompletedWithValue("value");
        assertThat(steps)
                .containsExactly(
                        "attempt 1", "RetryScheduled", "open catalogue 2 of 3", "attempt 2", "close", "RetrySucceeded");
    }

    @Test
    void anAttemptWithATimeLimitIsSurrounded() throws Exception {
        surround();
        policy.attemptTimeout(SECOND);
        retry().call(() -> blocking(RetryContext.current(), 1));
        assertThat(steps).containsSubsequence("open catalogue 2 of 3", "attempt 2", "close");
    }

    @Test
    void itIsOpenForBeforeRetryAndClosedIfThatFails() {
        surround();
        Retry retry = Retry.builder("catalogue", policy.build())
                .engine(engine.build())
                .beforeRetry((subject, call) -> {
                    steps.add("before");
                    throw new IOException("before");
                })
                .build();
        assertThatThrownBy(() -> retry.call(() -> blocking(RetryContext.current(), 1)))
                .hasMessage("before");
        assertThat(steps)
                .containsExactly(
                        "attempt 1", "RetryScheduled", "open catalogue 2 of 3", "before", "close", "RetryFailed");
    }

    @Test
    void laterAttemptsOfStoredCallsAreSurroundedAndFirstOnesAreNot() throws Exception {
        surround();
        CallState first = CallState.first("7", VirtualTime.START);
        Retry stored = retry();
        stored.resume(first, Duration.ZERO, () -> true).call(() -> blocking(RetryContext.current(), 0));
        assertThat(steps).containsExactly("attempt 1");

        steps.clear();
        CallState second =
                new CallState("7", 1, null, VirtualTime.START, List.of(), null, VirtualTime.START, VirtualTime.START);
        stored.resume(second, SECOND, () -> true).call(() -> blocking(RetryContext.current(), 2));
        assertThat(steps)
                .containsExactly(
                        "open catalogue 2 of 3",
                        "attempt 2",
                        "close",
                        "RetryScheduled",
                        "open catalogue 3 of 3",
                        "attempt 3",
                        "close",
                        "RetrySucceeded");

        steps.clear();
        attempts.set(1);
        stored.resume(second, SECOND, () -> true).callAsync(() -> {
            steps.add("attempt " + RetryContext.current().attempt());
            return failing(1);
        });
        assertThat(steps).containsExactly("open catalogue 2 of 3", "attempt 2", "close", "RetrySucceeded");
    }

    @Test
    void anErrorWhileItOpensOrClosesIsReportedAndTheCallContinues() throws Exception {
        engine.aroundRetries(call -> {
            if (call.attempt() == 2) {
                throw new IllegalStateException("open");
            }
            return () -> {
                throw new AssertionError("close");
            };
        });
        assertThat(retry().call(() -> blocking(RetryContext.current(), 2))).isEqualTo("value");
        assertThat(steps)
                .containsExactly(
                        "attempt 1",
                        "RetryScheduled",
                        "CONTEXT: open",
                        "attempt 2",
                        "RetryScheduled",
                        "attempt 3",
                        "CONTEXT: close",
                        "RetrySucceeded");
    }

    @Test
    void severalAreNestedAndOneThatFailsDoesNotAffectTheOthers() throws Exception {
        surround();
        engine.aroundRetries(call -> {
            throw new IllegalStateException("broken");
        });
        engine.aroundRetries(call -> {
            steps.add("open inner");
            return () -> steps.add("close inner");
        });
        retry().call(() -> blocking(RetryContext.current(), 1));
        assertThat(steps)
                .containsExactly(
                        "attempt 1",
                        "RetryScheduled",
                        "open catalogue 2 of 3",
                        "CONTEXT: broken",
                        "open inner",
                        "attempt 2",
                        "close inner",
                        "close",
                        "RetrySucceeded");
    }

    @Test
    void itNeedNotOpenAnything() throws Exception {
        engine.aroundRetries(call -> null);
        assertThat(retry().call(() -> blocking(RetryContext.current(), 1))).isEqualTo("value");
        assertThat(steps).containsExactly("attempt 1", "RetryScheduled", "attempt 2", "RetrySucceeded");
    }

    @Test
    void itDoesNotSurroundTheCallsThatItMakesItself() throws Exception {
        List<Retry> own = new ArrayList<>();
        engine.aroundRetries(call -> {
            steps.add("open");
            nested(own.get(0));
            return () -> {
                steps.add("close");
                nested(own.get(0));
            };
        });
        own.add(retry());
        own.get(0).call(() -> blocking(RetryContext.current(), 1));
        assertThat(steps).containsOnlyOnce("open", "close");
        assertThat(steps).filteredOn("attempt 2"::equals).hasSize(3);
    }

    private void nested(Retry retry) {
        try {
            retry.call(() -> blocking(RetryContext.current(), 1));
        } catch (IOException ex) {
            throw new CompletionException(ex);
        }
    }
}
