// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever goes wrong, the future completes. */
class AsyncFaultTests extends AsyncRetryFixture {

    @Test
    void retriesAThrowBeforeTheStageIsReturned() {
        CompletableFuture<String> called = retry().callAsync(() -> {
            if (attempts.incrementAndGet() < 3) {
                throw new IOException("at once");
            }
            return done("value");
        });
        time.advance(SECOND.multipliedBy(2)); // two waits

        assertThat(called).isCompletedWithValue("value");
    }

    @Test
    void completesWhenTheSecondAttemptThrows() {
        RuntimeException bug = new UnsupportedOperationException("a bug");
        CompletableFuture<String> called = retry().callAsync(() -> {
            if (attempts.incrementAndGet() == 2) {
                throw bug;
            }
            return failed(new IOException());
        });
        time.advance(SECOND);

        assertThat(errorOf(called)).isSameAs(bug);
        assertThat(reason()).isEqualTo(StopReason.NOT_RETRYABLE);
    }

    @Test
    void completesWhenAnAttemptThrowsAnError() {
        Error error = new StackOverflowError();

        assertThat(errorOf(retry().callAsync(() -> {
                    throw error;
                })))
                .isSameAs(error);
    }

    @Test
    void takesAMissingStageForAFailure() {
        CompletableFuture<String> called =
                retry().callAsync(() -> attempts.incrementAndGet() == 1 ? null : done("value"));
        time.advance(SECOND);

        assertThat(called).isCompletedWithValue("value");
        assertThat(events.get(0).error())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("catalogue: an attempt returned null");
    }

    @Test
    void completesWhenTheTimerRefuses() {
        RejectedExecutionException refusal = new RejectedExecutionException();
        engine.time(Times.scheduling((task, delay) -> {
            throw refusal;
        }));
        Retry retry = retry();

        CompletableFuture<String> called = retry.callAsync(() -> failing(1));

        assertThat(errorOf(called)).hasMessage("attempt 1").hasSuppressedException(refusal);
        assertThat(reason()).isEqualTo(StopReason.REJECTED);
        assertThat(retry.waiting()).isZero();
    }

    @Test
    void completesWhenTheExecutorRefuses() {
        RejectedExecutionException refusal = new RejectedExecutionException();
        engine.executor(task -> {
            throw refusal;
        });

        CompletableFuture<String> called = retry().callAsync(() -> failing(1));
        time.advance(SECOND);

        assertThat(errorOf(called)).hasMessage("attempt 1").hasSuppressedException(refusal);
        assertThat(events.get(1).attempt()).isOne();
        assertThat(reason()).isEqualTo(StopReason.REJECTED);
    }

    @Test
    void completesWhenTheStageOfALateAttemptFailsToBeCancelled() {
        policy.attemptTimeout(SECOND).maxAttempts(1);
        CompletableFuture<String> late = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                throw new LinkageError("cancel");
            }
        };
        CompletableFuture<String> called = retry().callAsync(() -> late);

        time.advance(SECOND);

        assertThat(errorOf(called)).isInstanceOf(AttemptTimeoutException.class);
    }

    @Test
    void cancellingEndsTheCallThoughItsStageFailsToBeCancelled() {
        CompletableFuture<String> odd = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                throw new LinkageError("cancel");
            }
        };
        CompletableFuture<String> called = retry().callAsync(() -> odd);

        assertThat(called.cancel(true)).isTrue();
        assertThat(reason()).isEqualTo(StopReason.CANCELLED);
    }

    @Test
    @Timeout(60)
    void completesWhenTheExecutorThrowsAnErrorWhileAnAttemptIsLate() {
        policy.attemptTimeout(SECOND).maxAttempts(1);
        engine.executor(task -> {
            throw new LinkageError("executor");
        });
        CompletableFuture<String> called = retry().callAsync(CompletableFuture::new);

        time.advance(SECOND);

        assertThatThrownBy(called::get).hasCauseInstanceOf(AttemptTimeoutException.class);
    }

    static Stream<CompletionStage<String>> minimalStages() {
        return Stream.of(
                CompletableFuture.completedStage("value"),
                CompletableFuture.completedFuture("value").minimalCompletionStage(),
                new CompletableFuture<String>()
                        .completeAsync(() -> "value", Runnable::run)
                        .minimalCompletionStage());
    }

    @ParameterizedTest
    @MethodSource("minimalStages")
    void takesStagesOfTheMinimalKind(CompletionStage<String> stage) {
        assertThat(retry().callAsync(() -> stage)).isCompletedWithValue("value");
    }

    @ParameterizedTest
    @MethodSource("minimalStages")
    void retriesFailedStagesOfTheMinimalKind(CompletionStage<String> stage) {
        CompletableFuture<String> called = retry().callAsync(() ->
                attempts.incrementAndGet() == 1 ? CompletableFuture.failedStage(new IOException("down")) : stage);
        time.advance(SECOND);

        assertThat(called).isCompletedWithValue("value");
    }

    @ParameterizedTest
    @MethodSource("minimalStages")
    void limitsAttemptsThatReturnStagesOfTheMinimalKind(CompletionStage<String> stage) {
        policy.attemptTimeout(SECOND);
        CompletableFuture<String> called = retry().callAsync(() ->
                attempts.incrementAndGet() == 1 ? new CompletableFuture<String>().minimalCompletionStage() : stage);
        time.advance(SECOND.multipliedBy(2)); // the limit and the wait

        assertThat(called).isCompletedWithValue("value");
    }

    @Test
    void completesWhenAFutureCannotTellWhetherItIsDone() {
        CompletableFuture<String> odd = new CompletableFuture<>() {
            @Override
            public boolean isDone() {
                throw new LinkageError("isDone");
            }
        };
        CompletableFuture<String> called = retry().callAsync(() -> odd);
        odd.complete("value");

        assertThat(called).isCompletedWithValue("value");
    }

    @Test
    void completesWhenAGateThrows() {
        RuntimeException fault = new IllegalArgumentException("gate");
        policy.onlyIf((error, context) -> {
            throw fault;
        });

        assertThat(errorOf(retry().callAsync(() -> failing(1))))
                .hasMessage("attempt 1")
                .hasSuppressedException(fault);
    }

    @Test
    void completesWhenADeciderThrows() {
        RuntimeException fault = new IllegalArgumentException("decider");
        engine.decider(new RetryDecider() {
            @Override
            public boolean shouldRetry(RetryContext context, Throwable error) {
                throw fault;
            }
        });

        assertThat(errorOf(retry().callAsync(() -> failing(1))))
                .hasMessage("attempt 1")
                .hasSuppressedException(fault);
    }

    @Test
    void goesOnWhenAListenerThrows() {
        engine.listener(event -> {
            throw new IllegalArgumentException("listener");
        });

        CompletableFuture<String> called = retry().callAsync(() -> failing(1));
        time.advance(SECOND);

        assertThat(called).isCompletedWithValue("value");
    }

    @Test
    void completesWhenTheClockThrows() {
        policy.maxAttempts(1);
        engine.time(Times.telling(() -> {
            throw new IllegalStateException("no time");
        }));

        assertThat(errorOf(retry().callAsync(() -> failing(1)))).hasMessage("attempt 1");
        assertThat(reason()).isEqualTo(StopReason.EXHAUSTED);
    }

    @Test
    void completesWhenTheStageRefusesToBeFollowed() {
        IllegalArgumentException fault = new IllegalArgumentException("not followed");
        CompletableFuture<String> odd = new CompletableFuture<>() {
            @Override
            public <U> CompletableFuture<U> handle(
                    java.util.function.BiFunction<? super String, Throwable, ? extends U> action) {
                throw fault;
            }
        };

        assertThat(errorOf(retry().callAsync(() -> odd))).isSameAs(fault);
    }

    @Test
    void doesNotMindTheInterruptFlagOfACompletingThread() {
        CompletableFuture<String> first = new CompletableFuture<>();
        CompletableFuture<String> called =
                retry().callAsync(() -> attempts.incrementAndGet() == 1 ? first : done("value"));

        Thread.currentThread().interrupt();
        first.completeExceptionally(new IOException());
        assertThat(Thread.interrupted()).isTrue();
        time.advance(SECOND);

        assertThat(called).isCompletedWithValue("value");
    }

    @Test
    void anInterruptedFirstAttemptKeepsTheFlag() {
        CompletableFuture<String> called = retry().callAsync(() -> {
            throw new InterruptedException();
        });

        assertThat(Thread.interrupted()).isTrue();
        assertThat(errorOf(called)).isInstanceOf(InterruptedException.class);
        assertThat(reason()).isEqualTo(StopReason.INTERRUPTED);
    }

    @Test
    void aRecoveryThatFailsSuppressesTheOriginalError() {
        policy.maxAttempts(1);
        IllegalArgumentException worse = new IllegalArgumentException("worse");
        Retry retry = Retry.builder("a", policy.build())
                .engine(engine.build())
                .uncheckedRecovery((subject, thrown, context) -> failed(worse))
                .build();

        CompletableFuture<String> called = retry.callAsync(() -> failing(1));

        assertThat(errorOf(called)).isSameAs(worse);
        assertThat(worse.getSuppressed()).hasSize(1).hasOnlyElementsOfType(IOException.class);
        assertThat(((RetryFailed) events.get(0)).recovered()).isFalse();
    }

    @Test
    void aMillionRetriesAtOnceNeedNoDeepStack() {
        policy.maxAttempts(Integer.MAX_VALUE).delay(Duration.ZERO);
        engine.listener(event -> events.clear());

        CompletableFuture<String> called = retry().callAsync(() -> failing(100_000));

        assertThat(called).isCompletedWithValue("value");
        assertThat(attempts).hasValue(100_001);
    }

    @Test
    void aContextHookThatThrowsChangesNothing() {
        engine.contextCapture(() -> () -> {
            throw new IllegalArgumentException("restore");
        });
        CompletableFuture<String> called = retry().callAsync(() -> failing(1));
        time.advance(SECOND);

        assertThat(called).isCompletedWithValue("value");
    }
}
