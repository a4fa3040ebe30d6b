// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The code that runs before the later attempts of asynchronous calls. */
class AsyncBeforeRetryTests extends AsyncRetryFixture {

    private final List<String> runs = new ArrayList<>();

    private Retry retry(BeforeRetry<Object> beforeRetry) {
        return Retry.builder("catalogue", policy.build())
                .engine(engine.build())
                .beforeRetry(beforeRetry)
                .build();
    }

    @Test
    void runsAfterEachWaitAndNotBeforeTheFirstAttempt() {
        CompletableFuture<String> called = retry((subject, context) -> runs.add(context.attempt() + " after "
                        + context.lastError().getMessage() + ", " + attempts + " run, same context "
                        + (RetryContext.current() == context)))
                .callAsync(() -> failing(2));

        assertThat(runs).isEmpty();
        time.advance(SECOND);
        assertThat(runs).hasSize(1);
        time.advance(SECOND);

        assertThat(called).isCompletedWithValue("value");
        assertThat(runs)
                .containsExactly(
                        "2 after attempt 1, 1 run, same context true", "3 after attempt 2, 2 run, same context true");
    }

    @Test
    void runsOnTheThreadOfTheAttempt() {
        Queue<Runnable> queue = new ArrayDeque<>();
        engine.executor(queue::add);
        CompletableFuture<String> called =
                retry((subject, context) -> runs.add("run")).callAsync(() -> failing(1));

        time.advance(SECOND);
        assertThat(runs).isEmpty();
        queue.remove().run();

        assertThat(runs).containsExactly("run");
        assertThat(called).isCompletedWithValue("value");
    }

    @Test
    void itsErrorEndsTheCallAsAnErrorThatIsNotRetried() {
        IOException own = new IOException("no token");
        CompletableFuture<String> called = retry((subject, context) -> {
                    throw own;
                })
                .callAsync(() -> failing(2));

        time.advance(SECOND);

        assertThat(errorOf(called)).isSameAs(own);
        assertThat(own.getSuppressed()[0]).hasMessage("attempt 1");
        assertThat(attempts).hasValue(1);
        assertThat(reason()).isEqualTo(StopReason.NOT_RETRYABLE);
        assertThat(events.get(events.size() - 1).attempt()).isEqualTo(2);
        assertThat(time.pending()).isZero();
    }

    @Test
    void anErrorAndAnInterruptEndTheCallToo() {
        AssertionError error = new AssertionError("no token");
        CompletableFuture<String> called = retry((subject, context) -> {
                    throw error;
                })
                .callAsync(() -> failing(2));
        time.advance(SECOND);
        assertThat(errorOf(called)).isSameAs(error);

        CompletableFuture<String> interrupted = retry((subject, context) -> {
                    throw new InterruptedException();
                })
                .callAsync(() -> failed(new IOException("down")));
        time.advance(SECOND);
        assertThat(errorOf(interrupted)).isInstanceOf(InterruptedException.class);
        assertThat(reason()).isEqualTo(StopReason.INTERRUPTED);
    }

    @Test
    void noAttemptStartsAfterTheTimeout() {
        policy.timeout(Duration.ofSeconds(2));
        CompletableFuture<String> called =
                retry((subject, context) -> time.advance(Duration.ofSeconds(5))).callAsync(() -> failing(2));

        time.advance(SECOND);

        assertThat(errorOf(called)).hasMessage("attempt 1");
        assertThat(attempts).hasValue(1);
        assertThat(reason()).isEqualTo(StopReason.TIMEOUT);
        assertThat(events.get(events.size() - 1).attempt()).isEqualTo(1);
    }

    @Test
    void theTimeLimitOfAnAttemptBeginsAfterIt() {
        policy.attemptTimeout(Duration.ofSeconds(2));
        CompletableFuture<String> called =
                retry((subject, context) -> time.advance(Duration.ofSeconds(5))).callAsync(() -> failing(1));

        time.advance(SECOND);

        assertThat(called).isCompletedWithValue("value");
        assertThat(attempts).hasValue(2);
    }

    @Test
    void noAttemptStartsAfterTheCallerHasCancelled() {
        List<CompletableFuture<String>> calls = new ArrayList<>();
        calls.add(retry((subject, context) -> calls.get(0).cancel(true)).callAsync(() -> failing(2)));

        time.advance(SECOND);

        assertThat(calls.get(0)).isCancelled();
        assertThat(attempts).hasValue(1);
        assertThat(reason()).isEqualTo(StopReason.CANCELLED);
        assertThat(events).filteredOn(RetryFailed.class::isInstance).hasSize(1);
    }
}
