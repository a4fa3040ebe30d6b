// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.backoff.Jitter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Retries that are switched off while calls wait, in real time: a wait that is not ended lasts an hour. */
class RetrySwitchTests {

    private final RetrySwitch retrySwitch = new RetrySwitch();

    private final List<RetryEvent> events = new CopyOnWriteArrayList<>();

    private final CountDownLatch scheduled = new CountDownLatch(1);

    private final RetryEngine engine = RetryEngine.builder()
            .listener(event -> {
                events.add(event);
                scheduled.countDown();
            })
            .build();

    private final RetryPolicy policy = RetryPolicy.builder()
            .retryOn(IOException.class)
            .delay(Duration.ofHours(1))
            .jitter(Jitter.none())
            .build();

    private RetryBuilder builder() {
        return Retry.builder("catalogue", policy).engine(engine);
    }

    private StopReason reason() {
        return ((RetryFailed) events.get(events.size() - 1)).reason();
    }

    private static String down() throws IOException {
        throw new IOException("down");
    }

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void theWaitOfABlockingCallEndsAtOnceWithItsLastError() throws Exception {
        Retry retry = builder().retrySwitch(retrySwitch).build();
        List<Throwable> thrown = new CopyOnWriteArrayList<>();
        Thread caller = new Thread(() -> {
            try {
                retry.call(RetrySwitchTests::down);
            } catch (IOException ex) {
                thrown.add(ex);
            }
        });
        caller.start();
        scheduled.await();
        while (caller.getState() != Thread.State.TIMED_WAITING && caller.isAlive()) {
            Thread.onSpinWait();
        }

        retrySwitch.turnOff();
        caller.join();

        assertThat(thrown).singleElement().satisfies(error -> assertThat(error).hasMessage("down"));
        assertThat(reason()).isEqualTo(StopReason.SWITCHED_OFF);
        assertThat(retry.waiting()).isZero();
    }

    @Test
    void theWaitOfAnAsynchronousCallEndsAtOnceWithItsLastError() throws Exception {
        Retry retry = builder().retrySwitch(retrySwitch).build();
        CompletableFuture<String> call = retry.callAsync(() -> CompletableFuture.failedFuture(new IOException("down")));
        scheduled.await();

        retrySwitch.turnOff();

        assertThatThrownBy(call::get).hasRootCauseMessage("down");
        assertThat(reason()).isEqualTo(StopReason.SWITCHED_OFF);
        assertThat(retry.waiting()).isZero();
    }

    @Test
    void aRecoveryServesTheCaller() throws Exception {
        RetryRecovery<Object, String> recovery = (subject, thrown, context) -> "instead: " + context.stopReason();
        Retry retry =
                builder().retrySwitch(retrySwitch).uncheckedRecovery(recovery).build();
        CompletableFuture<String> call = retry.callAsync(() -> CompletableFuture.failedFuture(new IOException("down")));

        retrySwitch.turnOff();

        assertThat(call.get()).isEqualTo("instead: SWITCHED_OFF");
    }

    @Test
    void otherCallsOfTheEngineGoOnWaiting() {
        Retry other = builder().retrySwitch(new RetrySwitch()).build();
        Retry without = builder().build();
        CompletableFuture<String> first = other.callAsync(() -> CompletableFuture.failedFuture(new IOException("1")));
        CompletableFuture<String> second =
                without.callAsync(() -> CompletableFuture.failedFuture(new IOException("2")));
        builder().retrySwitch(retrySwitch).build();

        retrySwitch.turnOff();

        assertThat(first).isNotDone();
        assertThat(second).isNotDone();
        assertThat(other.waiting() + without.waiting()).isEqualTo(2);
    }

    @Test
    void whileItIsOffFirstAttemptsAreMadeAndNoOthers() throws Exception {
        Retry retry = builder().retrySwitch(retrySwitch).build();
        retrySwitch.turnOff();

        assertThat(retry.call(() -> "up")).isEqualTo("up");
        assertThatThrownBy(() -> retry.call(RetrySwitchTests::down)).hasMessage("down");
        assertThat(events).hasSize(1);
        assertThat(reason()).isEqualTo(StopReason.SWITCHED_OFF);
    }

    @Test
    void switchedOnAgainCallsAreRetried() {
        List<RetryEvent> seen = new ArrayList<>();
        Retry retry = new Trial(
                        Trial.policy().maxAttempts(2),
                        builder -> builder.listener(seen::add),
                        builder -> builder.retrySwitch(retrySwitch))
                .retry;
        retrySwitch.turnOff();
        retrySwitch.turnOn();

        assertThatThrownBy(() -> retry.call(RetrySwitchTests::down)).hasMessage("down");
        assertThat(seen).hasSize(2).first().isInstanceOf(RetryScheduled.class);
    }

    @Test
    void aStoredCallIsStoredAgain() throws Exception {
        List<CallState> stored = new ArrayList<>();
        Retry retry = builder()
                .retrySwitch(retrySwitch)
                .handOver((subject, state, delay) -> {
                    stored.add(state);
                })
                .build();
        retrySwitch.turnOff();

        retry.run(RetrySwitchTests::down);

        assertThat(stored)
                .singleElement()
                .satisfies(state -> assertThat(state.attempt()).isEqualTo(1));
    }

    @Test
    void aStoredCallThatHasNoAttemptLeftIsNotStoredAgain() {
        List<CallState> stored = new ArrayList<>();
        Retry retry = Retry.builder(
                        "catalogue", policy.toBuilder().maxAttempts(1).build())
                .engine(engine)
                .retrySwitch(retrySwitch)
                .handOver((subject, state, delay) -> stored.add(state))
                .build();
        retrySwitch.turnOff();

        assertThatThrownBy(() -> retry.run(RetrySwitchTests::down)).hasMessage("down");

        assertThat(stored).isEmpty();
        assertThat(reason()).isEqualTo(StopReason.EXHAUSTED);
    }

    @Test
    void saysWhereItStands() {
        assertThat(retrySwitch).hasToString("on");
        retrySwitch.turnOff();
        assertThat(retrySwitch).hasToString("off");
        assertThat(retrySwitch.isOff()).isTrue();
    }
}
