// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The future that a caller holds, and the stages of its attempts. */
class AsyncFutureTests extends AsyncRetryFixture {

    @Test
    void completingTheFutureGivesTheCallUp() {
        CompletableFuture<String> mine = retry().callAsync(() -> failing(1));

        assertThat(mine.complete("mine")).isTrue();
        assertThat(time.pending()).isZero();
        assertThat(reason()).isEqualTo(StopReason.CANCELLED);
        assertThat(mine.complete("yours")).isFalse();
        assertThat(mine.completeExceptionally(new IOException())).isFalse();

        assertThat(mine).isCompletedWithValue("mine");
        assertThat(retry().callAsync(() -> failing(9)).completeExceptionally(new IOException()))
                .isTrue();
    }

    @Test
    void retriesAtOnceThatMakeOtherCallsNeedNoDeepStack() {
        policy.maxAttempts(Integer.MAX_VALUE).delay(Duration.ZERO);
        engine.listener(event -> events.clear());
        Retry retry = retry();

        CompletableFuture<String> many = retry.callAsync(() -> {
            AtomicInteger inner = new AtomicInteger();
            CompletableFuture<String> nested = retry.callAsync(
                    () -> inner.incrementAndGet() < 3 ? failed(new IOException("nested")) : done("nested"));
            assertThat(nested).isDone();
            return failing(5_000);
        });

        assertThat(many).isCompletedWithValue("value");
        assertThat(attempts).hasValue(5_001);
    }

    @Test
    void aLimitIsTakenBackFromTheTimerWhateverTheAttemptReturns() {
        policy.attemptTimeout(SECOND).maxAttempts(1);
        CompletableFuture<String> deaf = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                return false;
            }
        };

        assertThat(retry().callAsync(() -> deaf).cancel(true)).isTrue();
        assertThat(time.pending()).isZero();
        assertThat(errorOf(retry().callAsync(() -> {
                    throw new IllegalStateException("at once");
                })))
                .hasMessage("at once");
        assertThat(time.pending()).isZero();
        assertThat(errorOf(retry().callAsync(() -> null))).isInstanceOf(IllegalStateException.class);
        assertThat(time.pending()).isZero();
    }

    @Test
    void anAttemptThatIsOverBeforeItReturnsItsStageHasItCancelled() {
        policy.attemptTimeout(SECOND).maxAttempts(1);
        CompletableFuture<String> late = new CompletableFuture<>();

        CompletableFuture<String> limited = retry().callAsync(() -> {
            time.advance(SECOND);
            return late;
        });

        assertThat(errorOf(limited)).isInstanceOf(AttemptTimeoutException.class);
        assertThat(late).isCancelled();
    }

    @Test
    @SuppressWarnings("unchecked")
    void aStageThatIsNoFutureIsCancelledAsOne() {
        CompletableFuture<String> future = new CompletableFuture<>();
        CompletionStage<String> stage = (CompletionStage<String>) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {CompletionStage.class},
                (proxy, method, arguments) -> method.invoke(future, arguments));

        retry().callAsync(() -> stage).cancel(true);

        assertThat(future).isCancelled();
    }

    @Test
    void whoeverWatchesACallLearnsHowItWent() {
        List<RetryResult<?>> results = new ArrayList<>();
        Retry retry = retry().watched(results::add);

        assertThat(retry.callAsync(() -> done("at once"))).isCompletedWithValue("at once");
        CompletableFuture<String> later = retry.callAsync(() -> failing(1));
        time.advance(SECOND);
        assertThat(later).isCompletedWithValue("value");
        retry.callAsync(() -> failing(9)).cancel(true); // of this one nobody learns

        assertThat(results).extracting(RetryResult::attempts).containsExactly(1, 2);
        assertThat(results).extracting(RetryResult::value).isEqualTo(List.of("at once", "value"));
        assertThat(results).extracting(RetryResult::elapsed).containsExactly(Duration.ZERO, SECOND);
    }
}
