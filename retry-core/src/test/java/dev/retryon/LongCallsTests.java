// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.backoff.BackoffStrategy;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Calls with many attempts: the number of stored errors and delays, and delays that depend on the call. */
class LongCallsTests {

    @Test
    void aCallKeepsAboutTenErrorsAndAThousandDelays() {
        int attempts = 3_500;
        Retry retry = Retry.of(
                "long",
                RetryPolicy.builder()
                        .retryOn(IOException.class)
                        .maxAttempts(attempts)
                        .backoff("none")
                        .build());

        RetryResult<Object> result = retry.capture("subject", (subject, attempt) -> {
            if (attempt < 50 || attempt == attempts) {
                Set<Object> kept = Reachable.from(RetryContext.current());
                assertThat(kept.stream().filter(Throwable.class::isInstance))
                        .hasSizeBetween(Math.min(attempt - 1, 10), 11);
                assertThat(kept.stream().filter(PastAttempts.Past.class::isInstance))
                        .hasSizeLessThanOrEqualTo(1000);
            }
            throw new IOException("down " + attempt);
        });

        assertThat(result.attempts()).isEqualTo(attempts);
        assertThat(result.errors())
                .extracting(Throwable::getMessage)
                .hasSize(10)
                .startsWith("down 3491")
                .endsWith("down 3500");
        assertThat(result.delays()).hasSize(1000);
    }

    private static final class ByAttempt implements BackoffStrategy {

        @Override
        public Duration delay(int retry, Duration base, @Nullable Duration previous) {
            return base.multipliedBy(10L * RetryContext.current().attempt());
        }

        @Override
        public boolean dependsOnCall() {
            return true;
        }
    }

    @Test
    void aBackoffMayChooseByTheCall() {
        RetryPolicyBuilder builder =
                Trial.policy().maxAttempts(3).backoff(new ByAttempt()).maxDelay(Duration.ofSeconds(15));
        RetryPolicy policy = builder.build();

        assertThat(new Trial(builder)
                        .call(new IOException(), new IOException(), "up")
                        .waits())
                .containsExactly(Duration.ofSeconds(10), Duration.ofSeconds(15)); // 20 s are above the cap
        assertThat(policy.dependsOnCall()).isTrue();
        assertThat(Trial.policy().build().dependsOnCall()).isFalse();
        assertThat(policy.schedule(2))
                .hasSize(2)
                .containsOnly(new RetryPolicy.DelayRange(Duration.ZERO, Duration.ofSeconds(15)));
        assertThat(policy.delay(1, null, () -> 0)).as("without a call").hasSeconds(1);
    }
}
