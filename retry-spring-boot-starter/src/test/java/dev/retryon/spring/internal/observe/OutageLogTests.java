// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.retryon.spring.internal.report.TagValues;
import dev.retryon.spring.module.ExtensionErrors;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What calls that fail all the time leave in the log. */
class OutageLogTests {

    private static final String FAILED =
            "Payments.charge: failed after attempt 3 of 3, 0.3s after the first failure, exhausted; java.io.IOException";

    private static final TagValues NAMES = new TagValues("name", TagValues.DEFAULT_LIMIT);

    private final Logger logger = (Logger) LoggerFactory.getLogger(RetryLogger.NAME);

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    private final AtomicLong time = new AtomicLong();

    private final ApplicationContextRunner runner = logging(Duration.ofSeconds(1));

    private ApplicationContextRunner logging(Duration interval) {
        return Telemetry.application()
                .withBean(
                        "retryOnLogger",
                        RetryLogger.class,
                        () -> new RetryLogger(interval, NAMES, new ExtensionErrors(), time::get));
    }

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

    private static void fail(Payments payments, int times) {
        for (int i = 0; i < times; i++) {
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> payments.charge(9));
        }
    }

    private List<String> written() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private void advance(Duration by) {
        time.addAndGet(by.toNanos());
    }

    @Test
    void writesTheFirstLineAndCountsTheOthersInTheNextOne() {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            fail(payments, 99);
            advance(Duration.ofNanos(999_999_999));
            fail(payments, 1);
            assertThat(written()).containsExactly(FAILED);
            advance(Duration.ofNanos(1));
            fail(payments, 1);
            assertThat(written()).containsExactly(FAILED, FAILED + " (99 similar lines were omitted)");
            assertThat(lines.list.get(1).getLevel()).isEqualTo(Level.WARN);
            assertThat(lines.list.get(1).getKeyValuePairs())
                    .anySatisfy(pair -> assertThat(pair.key + "=" + pair.value).isEqualTo("retry.left-out=99"));
        });
    }

    @Test
    void writesOneLineASecondWhileTheOutageLasts() {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            for (int i = 0; i < 50; i++) { // five seconds
                fail(payments, 1);
                advance(Duration.ofMillis(100));
            }
            assertThat(written()).hasSize(5);
        });
        long calls = lines.list.stream()
                .filter(line -> line.getFormattedMessage().startsWith(FAILED))
                .count();
        long omitted = lines.list.stream()
                .flatMap(line -> line.getKeyValuePairs().stream())
                .filter(pair -> pair.key.equals("retry.left-out"))
                .mapToLong(pair -> (Long) pair.value)
                .sum();
        assertThat(calls + omitted).isEqualTo(50);
    }

    @Test
    void writesEveryLineOfCallsThatFailSeldom() {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            for (int i = 0; i < 3; i++) {
                fail(payments, 1);
                advance(Duration.ofSeconds(1));
            }
            assertThat(written()).containsExactly(FAILED, FAILED, FAILED);
        });
        assertThat(written()).hasSize(3);
    }

    @Test
    void keepsNamesAndKindsOfEndingsApart() {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            fail(payments, 2);
            payments.charge(1);
            payments.recovered();
            payments.find();
            assertThat(written()).hasSize(4).areExactly(1, startingWith("Payments.charge: succeeded"));
        });
    }

    private static org.assertj.core.api.Condition<String> startingWith(String start) {
        return new org.assertj.core.api.Condition<>(line -> line.startsWith(start), start);
    }

    @Test
    void writesEveryLineAtDebug() {
        logger.setLevel(Level.DEBUG);
        runner.run(context -> {
            fail(context.getBean(Payments.class), 5);
            assertThat(written()).hasSize(15); // 5 · (2 retries + 1 end)
        });
    }

    @Test
    void writesEveryLineWithoutAnInterval() {
        logging(Duration.ZERO).run(context -> {
            fail(context.getBean(Payments.class), 5);
            assertThat(written()).hasSize(5);
        });
    }

    @Test
    void theIntervalIsAProperty() {
        Telemetry.application().withPropertyValues("retryon.log.interval=0").run(context -> {
            fail(context.getBean(Payments.class), 5);
            assertThat(written()).hasSize(5);
        });
        Telemetry.application().withPropertyValues("retryon.log.interval=1h").run(context -> {
            fail(context.getBean(Payments.class), 5);
            assertThat(written()).hasSize(6); // 5 + 1
        });
    }

    @Test
    void aNegativeIntervalEndsTheStart() {
        Telemetry.application()
                .withPropertyValues("retryon.log.interval=-1s")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("retryon.log.interval")
                        .hasStackTraceContaining("must not be negative"));
    }

    @Test
    void writesTheNumberOfOmittedLinesWhenTheApplicationEnds() {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            fail(payments, 3);
            payments.charge(1);
            payments.charge(1);
            lines.list.clear();
        });
        assertThat(lines.list)
                .extracting(ILoggingEvent::getLevel, ILoggingEvent::getFormattedMessage)
                .containsExactlyInAnyOrder(
                        tuple(Level.WARN, "Payments.charge: failed, exhausted; 2 similar lines were omitted"),
                        tuple(Level.INFO, "Payments.charge: succeeded after a retry; 1 similar line was omitted"));
    }
}
