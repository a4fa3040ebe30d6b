// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.retryon.Retry;
import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicy;
import dev.retryon.RetrySignal;
import dev.retryon.spring.RetryOn;
import dev.retryon.test.RecordedRetries;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.boot.logging.logback.StructuredLogEncoder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.Environment;
import org.springframework.mock.env.MockEnvironment;

class RetryLoggerTests {

    private final Logger logger = (Logger) LoggerFactory.getLogger(RetryLogger.NAME);

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    private final ApplicationContextRunner runner = Telemetry.application();

    @BeforeEach
    void listen() {
        logger.setLevel(Level.INFO);
        logger.setAdditive(false);
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void forget() {
        logger.detachAppender(lines);
        logger.setAdditive(true);
        logger.setLevel(null);
    }

    @Test
    void saysNothingOfCallsThatSucceedAtOnce() {
        logger.setLevel(Level.TRACE);
        runner.run(context -> context.getBean(Payments.class).charge(0));
        assertThat(lines.list).isEmpty();
    }

    @Test
    void leavesOneLineForACallThatSucceedsInTheEnd() {
        runner.run(context -> context.getBean(Payments.class).charge(2));
        assertThat(lines.list).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.INFO);
            assertThat(line.getFormattedMessage())
                    .isEqualTo("Payments.charge: succeeded at attempt 3 of 3, 0.3s after the first failure;"
                            + " last failure: java.io.IOException");
            assertThat(keyValues(line))
                    .containsOnly(
                            Map.entry("retry.name", "Payments.charge"),
                            Map.entry("retry.attempt", 3),
                            Map.entry("retry.max-attempts", 3),
                            Map.entry("retry.retries", 2),
                            Map.entry("retry.exception", "java.io.IOException"),
                            Map.entry("retry.outcome", "success_after_retry"),
                            Map.entry("retry.reason", "none"));
        });
    }

    /** The clock is read before the first attempt only where a time limit needs it; the line is the same. */
    @ParameterizedTest
    @ValueSource(strings = {"", "1m"})
    void countsTheTimeFromTheFirstFailure(String timeout) {
        runner.withBean(Slow.class)
                .withPropertyValues("retryon.defaults.timeout=" + timeout)
                .run(context -> context.getBean(Slow.class).call());
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("Slow.call: succeeded at attempt 2 of 3, 0.1s after the first failure;"
                        + " last failure: java.io.IOException");
    }

    static class Slow {

        private final RecordedRetries retries;

        private final AtomicInteger attempts = new AtomicInteger();

        Slow(RecordedRetries retries) {
            this.retries = retries;
        }

        /** The first attempt takes two seconds. */
        @RetryOn(value = IOException.class, delay = "100ms", jitter = "none")
        public void call() throws IOException {
            if (attempts.incrementAndGet() == 1) {
                retries.time().advance(Duration.ofSeconds(2));
                throw new IOException("slow");
            }
        }
    }

    @Test
    void warnsOfCallsThatGiveUpWithoutTheirMessage() {
        runner.run(context -> assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> context.getBean(Payments.class).charge(9)));
        assertThat(lines.list).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage())
                    .isEqualTo(
                            "Payments.charge: failed after attempt 3 of 3, 0.3s after the first failure, exhausted; java.io.IOException");
            assertThat(line.getThrowableProxy()).isNull();
        });
    }

    @Test
    void warnsOfRecoveredCallsToo() {
        runner.run(context -> context.getBean(Payments.class).recovered());
        assertThat(lines.list).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage()).startsWith("Payments.recovered: recovered after attempt 3 of 3");
        });
    }

    @Test
    void tellsDirectivesApart() {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            for (RetrySignal signal :
                    List.of(RetrySignal.fail("f"), RetrySignal.discard("d"), RetrySignal.deadLetter("l"))) {
                assertThatExceptionOfType(RetrySignal.class).isThrownBy(() -> payments.refuse(signal));
            }
        });
        assertThat(lines.list)
                .extracting(ILoggingEvent::getLevel, line -> keyValues(line).get("retry.reason"))
                .containsExactly(
                        tuple(Level.WARN, "fail"), tuple(Level.INFO, "discard"), tuple(Level.WARN, "dead_letter"));
    }

    @Test
    void namesCancelledCallsAsSuch() {
        runner.run(context -> Retry.builder("later", RetryPolicy.builder().build())
                .engine(context.getBean(RetryEngine.class))
                .build()
                .callAsync(CompletableFuture::new)
                .cancel(false));
        assertThat(lines.list).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.INFO);
            assertThat(line.getFormattedMessage())
                    .startsWith("later: cancelled ")
                    .doesNotContain("returned value");
            assertThat(keyValues(line))
                    .containsEntry("retry.outcome", "cancelled")
                    .containsEntry("retry.reason", "cancelled");
        });
    }

    @Test
    void leavesErrorsThatAreNotOursToTheirCaller() {
        runner.run(context -> assertThatIllegalStateException()
                .isThrownBy(() -> context.getBean(Payments.class).refuse(new IllegalStateException("no"))));
        assertThat(lines.list).isEmpty();
    }

    @Test
    void tellsEachRetryWithItsMessageAtDebug() {
        logger.setLevel(Level.DEBUG);
        runner.run(context -> context.getBean(Payments.class).charge(1));
        assertThat(lines.list)
                .extracting(ILoggingEvent::getLevel, ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        tuple(
                                Level.DEBUG,
                                "Payments.charge: attempt 1 of 3 failed, retry in 0.1s;"
                                        + " java.io.IOException: card 4711"),
                        tuple(
                                Level.INFO,
                                "Payments.charge: succeeded at attempt 2 of 3, 0.1s after the first failure;"
                                        + " last failure: java.io.IOException: card 4711"));
        assertThat(keyValues(lines.list.get(0)))
                .containsEntry("retry.delay", "PT0.1S")
                .containsEntry("retry.retries", 0);
    }

    @Test
    void tellsStackTracesAtTraceOnly() {
        logger.setLevel(Level.TRACE);
        runner.run(context -> context.getBean(Payments.class).charge(1));
        assertThat(lines.list)
                .allSatisfy(line -> assertThat(line.getThrowableProxy()).isNotNull());
    }

    @Test
    void tellsOfRefusedValues() {
        runner.run(context -> context.getBean(Payments.class).find());
        assertThat(lines.list)
                .singleElement()
                .satisfies(line -> assertThat(line.getFormattedMessage())
                        .startsWith("find: failed after attempt 3 of 3, ")
                        .endsWith("exhausted; the returned value requires a retry"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"ecs", "logstash", "gelf"})
    void fitsStructuredFormatsWithinLaterAttemptsToo(String format) {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            payments.outer(payments);
        });
        assertThat(lines.list).hasSize(2);
        LoggerContext loggers = new LoggerContext();
        loggers.putObject(Environment.class.getName(), new MockEnvironment());
        StructuredLogEncoder encoder = new StructuredLogEncoder();
        encoder.setContext(loggers);
        encoder.setFormat(format);
        encoder.start();
        assertThat(lines.list)
                .allSatisfy(line -> assertThat(new String(encoder.encode(line), StandardCharsets.UTF_8))
                        .contains("success_after_retry"));
        assertThat(MDC.get("retry.name")).isNull();
    }

    @Test
    void leavesTheLogContextAsItWas() {
        runner.run(context -> {
            MDC.put("retry.attempt", "7");
            try {
                context.getBean(Payments.class).charge(1);
                assertThat(MDC.get("retry.attempt")).isEqualTo("7");
                assertThat(MDC.get("retry.name")).isNull();
            } finally {
                MDC.remove("retry.attempt");
            }
        });
        assertThat(lines.list)
                .singleElement()
                .satisfies(line -> assertThat(line.getMDCPropertyMap()).doesNotContainKey("retry.attempt"));
    }

    private static Map<String, Object> keyValues(ILoggingEvent line) {
        return line.getKeyValuePairs().stream().collect(Collectors.toMap(pair -> pair.key, pair -> pair.value));
    }
}
