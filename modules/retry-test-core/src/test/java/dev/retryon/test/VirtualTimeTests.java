// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.retryon.Retry;
import dev.retryon.RetryPolicy;
import dev.retryon.StopReason;
import dev.retryon.backoff.Jitter;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class VirtualTimeTests {

    private final RetryPolicy policy = RetryPolicy.builder()
            .retryOn(IOException.class)
            .jitter(Jitter.none())
            .build();

    @Test
    void blockingWaitsPassAtOnceAndAreKnown() {
        VirtualTime time = new VirtualTime();
        Retry retry =
                Retry.builder("down", policy).engine(time.engine().build()).build();

        retry.capture(() -> {
            throw new IOException("down");
        });

        assertThat(time.waits()).containsExactly(ofSeconds(1), ofSeconds(2));
        assertThat(time.instant()).isEqualTo(VirtualTime.START.plusSeconds(3)); // 3 = 1 + 2
        time.clearWaits();
        assertThat(time.waits()).isEmpty();
    }

    @Test
    void theTestMovesAsynchronousWaitsOn() {
        VirtualTime time = new VirtualTime();
        Retry retry = Retry.builder("down", policy)
                .engine(time.engine().executor(Runnable::run).build())
                .build();
        CompletableFuture<Object> call = retry.callAsync(() -> CompletableFuture.failedFuture(new IOException("down")));

        time.advance(Duration.ofMillis(2_999)); // the waits are 1 s and 2 s
        assertThat(call).isNotDone();
        assertThat(time.pending()).isEqualTo(1);
        time.advance(Duration.ofMillis(1));
        assertThat(call).isCompletedExceptionally();
        assertThat(time.pending()).isZero();
    }

    @Test
    void tasksRunAtTheirTimeUnlessTheyAreCancelled() {
        VirtualTime time = new VirtualTime();
        List<String> ran = new ArrayList<>();
        time.schedule(() -> ran.add("second at " + time.instant()), ofSeconds(2));
        time.schedule(() -> ran.add("first at " + time.instant()), ofSeconds(1));
        time.limit(() -> ran.add("cancelled"), ofSeconds(1)).cancel();

        time.advance(ofMinutes(1));

        assertThat(ran).containsExactly("first at 2026-01-01T00:00:01Z", "second at 2026-01-01T00:00:02Z");
    }

    @Test
    void immediateTimePassesByItself() {
        RecordedRetries retries = RecordedRetries.create();
        Retry retry = Retry.builder("down", policy)
                .engine(retries.engine().executor(Runnable::run).build())
                .build();
        Instant before = retries.time().instant();

        assertThat(retry.callAsync(() -> CompletableFuture.failedFuture(new IOException("down"))))
                .isCompletedExceptionally();

        assertThat(retries)
                .of("down")
                .attempted(3)
                .waited(ofSeconds(1), ofSeconds(2))
                .failed(StopReason.EXHAUSTED);
        assertThat(retries.time().instant()).isEqualTo(before.plusSeconds(3));
        retries.clear();
        assertThat(retries).isEmpty();
    }

    @Test
    void timeIsNotMovedBack() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new VirtualTime().advance(ofSeconds(-1)))
                .withMessageContaining("'-1s'");
    }
}
