// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.retryon.DeadLettered;
import dev.retryon.ExhaustionAction;
import dev.retryon.FailedCall;
import dev.retryon.Retry;
import dev.retryon.RetryEngine;
import dev.retryon.RetryEvent;
import dev.retryon.RetryPolicy;
import dev.retryon.spring.RetryEngineCustomizer;
import dev.retryon.test.RecordedRetries;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.EventListener;

/** That a call was kept is one more event: meters, logs and listeners tell it from the end of the call. */
class DeadLetteredTests {

    private final List<FailedCall> kept = new ArrayList<>();

    private final Logger logger = (Logger) LoggerFactory.getLogger(RetryLogger.NAME);

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    private final ApplicationContextRunner runner = Telemetry.application()
            .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
            .withBean(Heard.class)
            .withBean(RetryEngineCustomizer.class, () -> engine -> engine.deadLetters(kept::add));

    @BeforeEach
    void listen() {
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
    void aCounterCountsKeptCallsAlone() {
        runner.run(context -> {
            MeterRegistry meters = context.getBean(MeterRegistry.class);

            send(context);

            assertThat(meters.get("retryon.deadletters.stored")
                            .tag("name", "Mails.send")
                            .counter()
                            .count())
                    .isEqualTo(1);
            assertThat(meters.get("retryon.calls")
                            .tags("name", "Mails.send", "outcome", "success_after_retry")
                            .counter()
                            .count())
                    .isZero();
            assertThat(meters.get("retryon.calls")
                            .tags("name", "Mails.send", "outcome", "failure", "reason", "exhausted")
                            .counter()
                            .count())
                    .isEqualTo(1);
        });
    }

    @Test
    void listenersHearOfIt() {
        runner.run(context -> {
            send(context);

            List<RetryEvent> heard = context.getBean(Heard.class).events;
            assertThat(heard).singleElement().isInstanceOf(DeadLettered.class);
            assertThat(kept)
                    .extracting(call -> call.state().callId())
                    .containsExactly(heard.get(0).callId());
            assertThat(context.getBean(RecordedRetries.class)).of("Mails.send").deadLettered();
        });
    }

    @Test
    void theLogTellsItAtDebugAndTheEndOfTheCallAsEver() {
        runner.run(context -> {
            logger.setLevel(Level.INFO);
            send(context);
            assertThat(lines.list).hasSize(1);
            lines.list.clear();
            logger.setLevel(Level.DEBUG);

            send(context);

            String id = kept.get(1).state().callId();
            ILoggingEvent line = lines.list.get(lines.list.size() - 2);
            assertThat(line.getFormattedMessage())
                    .isEqualTo("Mails.send: stored as dead letter " + id
                            + " after attempt 2 of 2; java.io.IOException: down");
            assertThat(line.getKeyValuePairs())
                    .anyMatch(pair -> pair.key.equals("retry.call-id") && pair.value.equals(id));
            assertThat(lines.list.get(lines.list.size() - 1).getFormattedMessage())
                    .startsWith("Mails.send: failed after attempt 2 of 2");
        });
    }

    static void send(ApplicationContext context) {
        RetryPolicy policy = RetryPolicy.builder()
                .retryOn(IOException.class)
                .maxAttempts(2)
                .backoff("none")
                .onExhaustion(ExhaustionAction.DEAD_LETTER)
                .build();
        Retry retry = Retry.builder("Mails.send", policy)
                .engine(context.getBean(RetryEngine.class))
                .build();
        assertThatThrownBy(() -> retry.call(() -> {
                    throw new IOException("down");
                }))
                .isInstanceOf(IOException.class);
    }

    static class Heard {

        final List<RetryEvent> events = new ArrayList<>();

        @EventListener
        void on(DeadLettered event) {
            events.add(event);
        }
    }
}
