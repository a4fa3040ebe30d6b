// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

class AsyncRetryTests extends AsyncRetryFixture {

    @Test
    void aCallThatSucceedsAtOnceAllocatesNothing() throws Exception {
        Retry retry = retry();
        CompletableFuture<String> own = done("value");
        RetryCallable<CompletableFuture<String>, RuntimeException> callable = () -> own;
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = 0;
        for (int round = 0; round < 2; round++) { // the first one warms up
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 10_000; i++) {
                retry.callAsync(callable);
                retry.call(callable);
            }
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        }

        assertThat(allocated).isLessThan(10_000);
    }

    @Test
    void handsOutTheFutureThatHasSucceededAtOnce() {
        CompletableFuture<String> own = done("value");

        assertThat(retry().callAsync(() -> own)).isSameAs(own);
        assertThat(events).isEmpty();
    }

    @Test
    void succeedsLater() {
        CompletableFuture<String> own = new CompletableFuture<>();
        CompletableFuture<String> called = retry().callAsync(() -> own);
        assertThat(called).isNotDone();

        own.complete("value");

        assertThat(called).isCompletedWithValue("value");
        assertThat(events).isEmpty();
        assertThat(time.pending()).isZero();
    }

    @Test
    void waitsWithoutAThread() {
        Retry retry = retry();
        CompletableFuture<String> called = retry.callAsync(() -> failing(2));
        assertThat(retry.waiting()).isOne();

        time.advance(SECOND.minusNanos(1));
        assertThat(attempts).hasValue(1);
        time.advance(Duration.ofNanos(1));
        assertThat(attempts).hasValue(2);
        time.advance(SECOND);

        assertThat(called).isCompletedWithValue("value");
        assertThat(retry.waiting()).isZero();
        assertThat(events).hasExactlyElementsOfTypes(RetryScheduled.class, RetryScheduled.class, RetrySucceeded.class);
        assertThat(events.get(2).attempt()).isEqualTo(3);
    }

    @Test
    void completesWithTheLastAttemptsOwnError() {
        IOException last = new IOException("last");
        policy.maxAttempts(1);

        CompletableFuture<String> called = retry().callAsync(() -> CompletableFuture.<String>supplyAsync(
                () -> {
                    throw new CompletionException(last);
                },
                Runnable::run));

        assertThat(errorOf(called)).isSameAs(last);
        assertThatThrownBy(called::join).isInstanceOf(CompletionException.class).hasCause(last);
        assertThat(last.getSuppressed()).hasSize(1).hasOnlyElementsOfType(RetryHistory.class);
        assertThat(reason()).isEqualTo(StopReason.EXHAUSTED);
    }

    @Test
    void anAttemptKnowsItsContext() {
        List<Integer> seen = new ArrayList<>();
        CompletableFuture<String> called = retry().callAsync(() -> {
            RetryContext context = RetryContext.current();
            context.attributes().merge("attempts", 1, (old, one) -> (Integer) old + 1);
            seen.add((Integer) context.attributes().get("attempts"));
            seen.add(context.attempt());
            return failing(1);
        });
        time.advance(SECOND);

        assertThat(called).isCompletedWithValue("value");
        assertThat(seen).containsExactly(1, 1, 2, 2);
        assertThat(RetryContext.find()).isEmpty();
    }

    @Test
    void whatDependsOnTheFutureIsNoPartOfTheCall() {
        List<Boolean> seen = new ArrayList<>();
        retry().callAsync(() -> failing(1))
                .thenAccept(value -> seen.add(RetryContext.find().isPresent()));
        time.advance(SECOND);

        assertThat(seen).containsExactly(false);
    }

    @Test
    void retryIfLooksAtTheStagesValue() {
        policy.retryIf((value, context) -> "stale".equals(value));
        CompletableFuture<String> called =
                retry().callAsync(() -> done(attempts.incrementAndGet() == 1 ? "stale" : "value"));
        assertThat(called).isNotDone();
        time.advance(SECOND);

        assertThat(called).isCompletedWithValue("value");
    }

    @Test
    void theLastValueGoesOutWhenRetryIfIsNeverSatisfied() {
        policy.retryIf((value, context) -> true).maxAttempts(2);
        CompletableFuture<String> called = retry().callAsync(() -> done("stale"));
        time.advance(SECOND);

        assertThat(called).isCompletedWithValue("stale");
        assertThat(reason()).isEqualTo(StopReason.EXHAUSTED);
    }

    @Test
    void aRecoveryMayReturnAValueOrAStage() {
        policy.maxAttempts(1);
        CompletableFuture<String> later = new CompletableFuture<>();
        Retry value = Retry.builder("a", policy.build())
                .engine(engine.build())
                .uncheckedRecovery((subject, thrown, context) -> "served")
                .build();
        Retry stage = Retry.builder("b", policy.build())
                .engine(engine.build())
                .uncheckedRecovery((subject, thrown, context) -> later)
                .build();

        assertThat(value.callAsync(() -> failing(1))).isCompletedWithValue("served");
        attempts.set(0);
        CompletableFuture<String> called = stage.callAsync(() -> failing(1));
        assertThat(called).isNotDone();
        later.complete("served later");

        assertThat(called).isCompletedWithValue("served later");
        assertThat(events).hasSize(2).allMatch(event -> ((RetryFailed) event).recovered());
    }

    @Test
    void countsCallsThatSucceedAtOnce() {
        LongAdder successes = new LongAdder();
        Retry retry = Retry.builder("a", policy.build())
                .engine(engine.build())
                .countSuccesses(successes)
                .build();
        CompletableFuture<String> later = new CompletableFuture<>();

        retry.callAsync(() -> done("value"));
        retry.callAsync(() -> later);
        later.complete("value");
        retry.callAsync(() -> failing(1));
        time.advance(SECOND);

        assertThat(successes.sum()).isEqualTo(2);
    }

    @Test
    void carriesTheCallersContextAndPutsBackWhatWasThere() {
        ThreadLocal<String> trace = new ThreadLocal<>();
        engine.contextCapture(() -> {
            String captured = trace.get();
            return () -> {
                String before = trace.get();
                trace.set(captured);
                return () -> trace.set(before);
            };
        });
        List<String> seen = new ArrayList<>();
        engine.listener(event -> seen.add(event.getClass().getSimpleName() + " in " + trace.get()));
        CompletableFuture<String> first = new CompletableFuture<>();

        trace.set("request");
        CompletableFuture<String> called = retry().callAsync(() -> {
            seen.add("attempt in " + trace.get());
            return attempts.incrementAndGet() == 1 ? first : done("value");
        });
        trace.set("somebody else");
        first.completeExceptionally(new IOException());
        assertThat(trace.get()).isEqualTo("somebody else");
        time.advance(SECOND);

        assertThat(called).isCompletedWithValue("value");
        assertThat(trace.get()).isEqualTo("somebody else");
        assertThat(seen)
                .containsExactly(
                        "attempt in request",
                        "RetryScheduled in request",
                        "attempt in request",
                        "RetrySucceeded in request");
    }
}
