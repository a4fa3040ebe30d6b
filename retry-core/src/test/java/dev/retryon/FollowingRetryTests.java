// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A retry whose calls are run by another one, which changes. */
class FollowingRetryTests {

    private final VirtualTime time = new VirtualTime();

    private final RetryEngine engine = time.engine().executor(Runnable::run).build();

    private final AtomicReference<Retry> current = new AtomicReference<>(retry(2));

    private final Retry following = Retry.following(current::get);

    private Retry retry(int maxAttempts) {
        RetryPolicy policy = Trial.policy().maxAttempts(maxAttempts).build();
        return Retry.builder("catalogue", policy).engine(engine).build();
    }

    private static <T> T down() throws IOException {
        throw new IOException("down");
    }

    @Test
    void everyKindOfCallIsThatOfTheCurrentRetry() throws IOException {
        assertThat(following.capture(FollowingRetryTests::down).attempts()).isEqualTo(2);

        current.set(retry(4));

        assertThat(following.policy().maxAttempts()).isEqualTo(4);
        assertThat(following.capture(FollowingRetryTests::down).attempts()).isEqualTo(4);
        int recovered = following.callOrRecover(
                () -> FollowingRetryTests.<Integer>down(), (error, context) -> context.attempt());
        assertThat(recovered).isEqualTo(4);

        AtomicInteger attempts = new AtomicInteger();
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> following.run(() -> {
                    attempts.incrementAndGet();
                    down();
                }));
        assertThat(attempts).hasValue(4);
        var asynchronous = following.callAsync(() -> {
            attempts.incrementAndGet();
            return FollowingRetryTests.<CompletableFuture<String>>down();
        });
        time.advance(Duration.ofHours(1));
        assertThat(asynchronous).isCompletedExceptionally();
        assertThat(attempts).hasValue(8);
    }

    @Test
    void aRunningCallKeepsItsRetry() {
        RetryResult<Object> result = following.capture(() -> {
            current.set(retry(4));
            return down();
        });

        assertThat(result.attempts()).isEqualTo(2);
        assertThat(following).hasToString(current.get().toString());
    }
}
