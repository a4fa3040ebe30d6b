// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the core logs goes to an appender that fails: no call notices. */
class FailingAppenderTests {

    private final Logger logger = Logger.getLogger("dev.retryon");

    private final FailingAppender appender = new FailingAppender();

    private final RetryPolicyBuilder policy = RetryPolicy.builder()
            .retryOn(IOException.class)
            .delay(Duration.ZERO)
            .maxAttempts(2);

    private final RetryEngineBuilder engine = RetryEngine.builder().executor(Runnable::run);

    static Stream<Runnable> faults() {
        return Stream.of(
                () -> {
                    throw new IllegalStateException("the disk is full");
                },
                () -> {
                    throw new NoClassDefFoundError("an appender of another version");
                },
                FailingAppenderTests::recur);
    }

    @SuppressWarnings("InfiniteRecursion")
    private static void recur() {
        recur();
    }

    @BeforeEach
    void fail() {
        logger.setUseParentHandlers(false);
        logger.addHandler(appender);
    }

    @AfterEach
    void restore() {
        logger.removeHandler(appender);
        logger.setUseParentHandlers(true);
        assertThat(appender.records).isPositive();
    }

    private Retry retry() {
        return Retry.builder("catalogue", policy.build()).engine(engine.build()).build();
    }

    private void failInRetryIf() {
        policy.retryIf((value, context) -> {
            throw new IllegalArgumentException("retryIf");
        });
    }

    private void failInAListener() {
        engine.listener(event -> {
            throw new IllegalArgumentException("listener");
        });
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aCallThatSucceededStillSucceeds(Runnable fault) throws Exception {
        appender.fault = fault;
        failInRetryIf();

        assertThat(retry().<String, IOException>call(() -> "value")).isEqualTo("value");
    }

    @ParameterizedTest
    @MethodSource("faults")
    void anAsynchronousCallThatSucceededStillSucceeds(Runnable fault) {
        appender.fault = fault;
        failInRetryIf();

        assertThat(retry().callAsync(() -> CompletableFuture.completedFuture("value")))
                .isCompletedWithValue("value");
    }

    @ParameterizedTest
    @MethodSource("faults")
    void theBusinessErrorIsNotReplaced(Runnable fault) {
        appender.fault = fault;
        failInAListener();
        IOException down = new IOException("down");

        assertThatThrownBy(() -> retry().call(() -> {
                    throw down;
                }))
                .isSameAs(down);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void theBusinessErrorOfAnAsynchronousCallIsNotReplaced(Runnable fault) {
        appender.fault = fault;
        failInAListener();
        engine.contextCapture(() -> {
            throw new IllegalStateException("capture");
        });
        IOException down = new IOException("down");

        assertThat(AsyncRetryFixture.errorOf(retry().callAsync(() -> AsyncRetryFixture.failed(down))))
                .isSameAs(down);
    }

    private static final class FailingAppender extends Handler {

        private Runnable fault = () -> {};

        private int records;

        @Override
        public void publish(LogRecord logRecord) {
            records++;
            fault.run();
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
