// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.backoff.Jitter;
import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Asynchronous calls whose retries are stored. */
class AsyncHandoverTests {

    private final VirtualTime time = new VirtualTime();

    private final List<RetryEvent> events = new ArrayList<>();

    /** Steps that wait for a thread. */
    private final Queue<Runnable> queue = new ArrayDeque<>();

    private final RetryEngine engine =
            time.engine().listener(events::add).executor(queue::add).build();

    private final List<Duration> taken = new ArrayList<>();

    private final RetrySwitch retrySwitch = new RetrySwitch();

    private CompletableFuture<String> call(RetryEngine used, CallHandover handover, CompletableFuture<String> attempt) {
        return Retry.builder(
                        "send",
                        RetryPolicy.builder()
                                .retryOn(IOException.class)
                                .delay(Duration.ofSeconds(5))
                                .jitter(Jitter.none())
                                .build())
                .engine(used)
                .retrySwitch(retrySwitch)
                .handOver(handover)
                .build()
                .callAsync(() -> attempt);
    }

    private CompletableFuture<String> call(CompletableFuture<String> attempt) {
        return call(engine, (subject, state, delay) -> taken.add(delay), attempt);
    }

    private static CompletableFuture<String> down() {
        return CompletableFuture.failedFuture(new IOException("down"));
    }

    private void work() {
        queue.remove().run();
    }

    @Test
    void areStoredOnAThreadOfTheExecutor() {
        CompletableFuture<String> result = call(down());
        assertThat(result).isNotDone();
        assertThat(taken).isEmpty();

        work();

        assertThat(result).isCompletedWithValue(null);
        assertThat(taken).containsExactly(Duration.ofSeconds(5));
        assertThat(events).singleElement().isInstanceOf(RetryScheduled.class);
    }

    @Test
    void areStoredByTheThreadOfTheFailureIfTheExecutorRefusesThem() {
        RetryEngine refusing = time.engine()
                .executor(task -> {
                    throw new RejectedExecutionException("full");
                })
                .build();

        assertThat(call(refusing, (subject, state, delay) -> taken.add(delay), down()))
                .isCompletedWithValue(null);
        assertThat(taken).hasSize(1);
    }

    @Test
    void areStoredWhenTheEngineIsClosedBeforeAThreadIsFree() {
        CompletableFuture<String> result = call(down());

        engine.close();

        assertThat(result).isCompletedWithValue(null);
        assertThat(taken).hasSize(1);
    }

    @Test
    void areStoredWhileTheirRetriesAreSwitchedOff() {
        retrySwitch.turnOff();

        CompletableFuture<String> result = call(down());
        work();

        assertThat(result).isCompletedWithValue(null);
        assertThat(taken).hasSize(1);
    }

    @Test
    void endWithTheirErrorIfTheyCannotBeStored() {
        CompletableFuture<String> result = call(
                engine,
                (subject, state, delay) -> {
                    throw new LinkageError("no store");
                },
                down());
        work();

        assertThatThrownBy(result::get)
                .cause()
                .hasMessage("down")
                .satisfies(error -> assertThat(error.getSuppressed())
                        .anySatisfy(store -> assertThat(store).hasMessage("no store")));
        assertThat(events)
                .singleElement()
                .isInstanceOfSatisfying(
                        RetryFailed.class, failed -> assertThat(failed.reason()).isEqualTo(StopReason.REJECTED));
    }

    @Test
    void areNotStoredIfTheirCallerHasCancelledThem() {
        CompletableFuture<String> result = call(down());

        result.cancel(true);
        work();

        assertThat(taken).isEmpty();
    }

    @Test
    void continueIfTheirCallerCancelsThemWhileTheyAreStored() {
        List<CompletableFuture<String>> results = new ArrayList<>();
        results.add(call(engine, (subject, state, delay) -> results.get(0).cancel(true), down()));
        work();

        assertThat(results.get(0)).isCancelled();
        assertThat(events).singleElement().isInstanceOf(RetryScheduled.class);
    }

    @Test
    void endWithAnErrorThatIsNotRetried() {
        assertThat(call(CompletableFuture.failedFuture(new IllegalStateException("wrong"))))
                .isCompletedExceptionally();

        assertThat(queue).isEmpty();
        assertThat(taken).isEmpty();
    }
}
