// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.RetryTime;
import dev.retryon.spring.internal.report.ExtensionErrors;
import dev.retryon.spring.internal.report.TagValues;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiFunction;
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

    private final ManualTime time = new ManualTime();

    private final ApplicationContextRunner runner = logging(Duration.ofSeconds(1), time);

    private ApplicationContextRunner logging(
            Duration interval, BiFunction<Runnable, Duration, RetryTime.Handle> timer) {
        return Telemetry.application()
                .withBean(
                        "retryOnLogger",
                        RetryLogger.class,
                        () -> new RetryLogger(interval, NAMES, new ExtensionErrors(), time, timer));
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

    @Test
    void writesTheFirstLineAtOnceAndTheLastWithTheNumberOfTheOthers() {
        runner.run(context -> {
            fail(context.getBean(Payments.class), 100);
            assertThat(written()).containsExactly(FAILED);
            time.advance(Duration.ofMillis(999));
            assertThat(written()).hasSize(1);
            time.advance(Duration.ofMillis(1));
            // 100 = 1 + 98 + 1
            assertThat(written()).containsExactly(FAILED, FAILED + " (98 similar lines were omitted)");
            assertThat(lines.list.get(1).getLevel()).isEqualTo(Level.WARN);
            assertThat(lines.list.get(1).getKeyValuePairs())
                    .anySatisfy(pair -> assertThat(pair.key + "=" + pair.value).isEqualTo("retry.left-out=98"));
            time.advance(Duration.ofHours(1));
            assertThat(written()).hasSize(2);
            assertThat(time.waiting()).isZero();
        });
    }

    @Test
    void writesOneLineASecondWhileTheOutageLasts() {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            for (int i = 0; i < 50; i++) { // five seconds
                fail(payments, 1);
                time.advance(Duration.ofMillis(100));
            }
            time.advance(Duration.ofSeconds(1));
            assertThat(written()).hasSizeBetween(6, 7);
            long calls = lines.list.size()
                    + lines.list.stream()
                            .flatMap(line -> line.getKeyValuePairs().stream())
                            .filter(pair -> pair.key.equals("retry.left-out"))
                            .mapToLong(pair -> (Long) pair.value)
                            .sum();
            assertThat(calls).isEqualTo(50);
        });
    }

    @Test
    void writesEveryLineOfCallsThatFailSeldom() {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            for (int i = 0; i < 3; i++) {
                fail(payments, 1);
                time.advance(Duration.ofSeconds(1));
            }
            assertThat(written()).containsExactly(FAILED, FAILED, FAILED);
        });
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
    void formatsNothingThatIsNotWritten() {
        List<RetryEvent> events = new ArrayList<>();
        runner.withBean("recording", RetryListener.class, () -> events::add)
                .run(context -> fail(context.getBean(Payments.class), 1));
        List<Long> formatted = new ArrayList<>();
        HeldLines held = new HeldLines(Duration.ofSeconds(1), time, time, (event, leftOut) -> formatted.add(leftOut));
        for (int i = 0; i < 100; i++) {
            held.accept(events.get(2)); // after two retries
        }
        assertThat(formatted).containsExactly(0L);
        time.advance(Duration.ofSeconds(1));
        assertThat(formatted).containsExactly(0L, 98L); // 100 = 1 + 98 + 1
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
        logging(Duration.ZERO, time).run(context -> {
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
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RetryLogger(Duration.ofNanos(-1), NAMES, new ExtensionErrors()));
    }

    @Test
    void writesWhatIsHeldBackWhenTheApplicationEnds() {
        runner.run(context -> {
            fail(context.getBean(Payments.class), 3);
            assertThat(written()).hasSize(1);
        });
        assertThat(written()).containsExactly(FAILED, FAILED + " (1 similar line was omitted)"); // 3 = 1 + 1 + 1
    }

    @Test
    void writesEveryLineIfNothingRunsLater() {
        BiFunction<Runnable, Duration, RetryTime.Handle> refusing = (task, delay) -> {
            throw new RejectedExecutionException("closed");
        };
        logging(Duration.ofSeconds(1), refusing).run(context -> {
            fail(context.getBean(Payments.class), 3);
            assertThat(written()).hasSize(3);
        });
    }

    @Test
    void doesNotFailCallsWhoseLinesCannotBeWrittenLater() {
        BiFunction<Runnable, Duration, RetryTime.Handle> broken = (task, delay) -> {
            throw new StackOverflowError("broken");
        };
        logging(Duration.ofSeconds(1), broken).run(context -> {
            fail(context.getBean(Payments.class), 3);
            assertThat(written()).hasSize(3);
        });
    }
}
