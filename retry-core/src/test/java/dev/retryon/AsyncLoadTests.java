package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class AsyncLoadTests {

    @Test
    @Timeout(120) // one after the other, the waits would take 55 hours: 100 000 · 2 s
    void manyCallsInFlightNeedFewThreads() {
        AsyncLoad.Figures figures = AsyncLoad.run(100_000, Duration.ofSeconds(1));

        assertThat(figures.threads() - figures.executorThreads()).isLessThanOrEqualTo(4);
        assertThat(figures.wallMillis()).isGreaterThanOrEqualTo(2_000); // two waits
    }
}
