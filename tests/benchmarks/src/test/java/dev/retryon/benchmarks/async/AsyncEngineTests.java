// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.async;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AsyncEngineTests {

    @ParameterizedTest
    @EnumSource
    void retriesAFailedFuture(AsyncEngine engine) throws Exception {
        try (AsyncEngine.AsyncCalls calls = engine.start(Duration.ofMillis(1))) {
            Attempts attempts = new Attempts();
            assertThat(calls.call(attempts).toCompletableFuture().join()).isSameAs(attempts);
            assertThat(attempts.made()).isEqualTo(2);
        }
    }

    @Test
    void ourWaitingCallsShareOneThread() {
        try (AsyncEngine.AsyncCalls calls = AsyncEngine.RETRY_ON.start(Duration.ofHours(1))) {
            Set<Thread> before = Thread.getAllStackTraces().keySet();
            for (int i = 0; i < 1_000; i++) {
                calls.call(new Attempts());
            }
            assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(thread -> !before.contains(thread))
                    .hasSizeLessThanOrEqualTo(1);
        }
    }
}
