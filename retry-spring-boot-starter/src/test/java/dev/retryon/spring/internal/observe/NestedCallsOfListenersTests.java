// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.read.ListAppender;
import dev.retryon.RetryContext;
import dev.retryon.RetryDecider;
import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryListener;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.report.TagValues;
import dev.retryon.spring.module.ExtensionErrors;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.cumulative.CumulativeCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.EventListener;

/** Listeners that alert through a retried client, while the system behind that client is down. */
class NestedCallsOfListenersTests {

    /** Ends a test that would otherwise never end. */
    private static final int TOO_MANY = 60;

    private final Logger retries = (Logger) LoggerFactory.getLogger(RetryLogger.NAME);

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    private final PostingRegistry registry = new PostingRegistry();

    private final ApplicationContextRunner runner = Telemetry.application()
            .withBean(MeterRegistry.class, () -> registry)
            .withBean(Pager.class);

    @BeforeEach
    void listen() {
        retries.setLevel(Level.INFO);
        retries.setAdditive(false);
        lines.start();
        retries.addAppender(lines);
    }

    @AfterEach
    void forget() {
        retries.detachAppender(lines);
        retries.setAdditive(true);
        retries.setLevel(null);
    }

    private static void chargeInVain(Payments payments) {
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> payments.charge(9));
    }

    private double retriesOf(String name) {
        return registry.get("retryon.retries").tag("name", name).counter().count();
    }

    @Test
    void aListenerThatAlertsEndsAndItsCallsAreRetriedLoggedAndCounted() {
        runner.withBean(AlertingListener.class).run(context -> {
            chargeInVain(context.getBean(Payments.class));

            assertThat(context.getBean(Pager.class).posts()).isEqualTo(3);
            assertThat(retriesOf("Pager.post")).isEqualTo(2);
            assertThat(lines.list)
                    .extracting(line -> line.getFormattedMessage().split(":")[0])
                    .containsExactlyInAnyOrder("Payments.charge", "Pager.post");
        });
    }

    @Test
    void anEventListenerThatAlertsEnds() {
        runner.withBean(AlertingEventListener.class).run(context -> {
            chargeInVain(context.getBean(Payments.class));

            assertThat(context.getBean(Pager.class).posts()).isEqualTo(3);
            assertThat(retriesOf("Pager.post")).isEqualTo(2);
            assertThat(context.getBean(AlertingEventListener.class).heard).hasValue(1);
        });
    }

    @Test
    void aListenerThatIsRetriedItselfEnds() {
        runner.withBean(Count.class).withBean(RetriedListener.class).run(context -> {
            chargeInVain(context.getBean(Payments.class));

            // 9 = 3 events with 3 attempts each
            assertThat(context.getBean(Count.class).count).hasValue(9);
        });
    }

    @Test
    void aDeciderThatAsksThroughARetriedClientEnds() {
        runner.withBean(AskingDecider.class).run(context -> {
            chargeInVain(context.getBean(Payments.class));

            // 6 = 2 questions with 3 attempts each
            assertThat(context.getBean(Pager.class).posts()).isEqualTo(6);
        });
    }

    @Test
    void aMeterRegistryThatCallsARetriedBeanEnds() {
        runner.run(context -> {
            Pager pager = context.getBean(Pager.class);
            registry.counted = pager::alert;
            chargeInVain(context.getBean(Payments.class));

            // 9 = 3 events with 3 attempts each
            assertThat(pager.posts()).isEqualTo(9);
            assertThat(lines.list).hasSize(2);
        });
    }

    @Test
    void anAppenderThatCallsARetriedBeanLeavesNoLinesAboutItsCalls() {
        RetryLogger logger = new RetryLogger(
                Duration.ZERO, new TagValues("name", TagValues.DEFAULT_LIMIT), new ExtensionErrors(), System::nanoTime);
        runner.withBean("retryOnLogger", RetryLogger.class, () -> logger).run(context -> {
            Pager pager = context.getBean(Pager.class);
            AppenderBase<ILoggingEvent> posting = new AppenderBase<>() {
                @Override
                protected void append(ILoggingEvent line) {
                    pager.alert();
                }
            };
            posting.start();
            retries.addAppender(posting);
            try {
                chargeInVain(context.getBean(Payments.class));
                chargeInVain(context.getBean(Payments.class));
            } finally {
                retries.detachAppender(posting);
            }

            // 6 = 2 lines with 3 attempts each
            assertThat(pager.posts()).isEqualTo(6);
            assertThat(lines.list)
                    .extracting(line -> line.getFormattedMessage().split(":")[0])
                    .containsExactly("Payments.charge", "Payments.charge");
        });
    }

    /** Runs something whenever a counter is incremented. */
    private static final class PostingRegistry extends SimpleMeterRegistry {

        private Runnable counted = () -> {};

        @Override
        protected Counter newCounter(Meter.Id id) {
            return new CumulativeCounter(id) {
                @Override
                public void increment(double amount) {
                    super.increment(amount);
                    counted.run();
                }
            };
        }
    }

    static class Count {

        final AtomicInteger count = new AtomicInteger();
    }

    static class Pager {

        private final AtomicInteger posts = new AtomicInteger();

        private final ObjectProvider<Pager> self;

        Pager(ObjectProvider<Pager> self) {
            this.self = self;
        }

        @RetryOn(value = UncheckedIOException.class, delay = "100ms", jitter = "none")
        public void post() {
            if (posts.incrementAndGet() > TOO_MANY) {
                throw new AssertionError("posted again and again");
            }
            throw new UncheckedIOException(new IOException("the pager is down"));
        }

        public int posts() {
            return posts.get();
        }

        /** Posts with retries, and ignores a failure. */
        public void alert() {
            if (posts.get() <= TOO_MANY) {
                try {
                    self.getObject().post();
                } catch (UncheckedIOException ex) {
                    // the alert is lost
                }
            }
        }
    }

    static class AlertingListener implements RetryListener {

        private final ObjectProvider<Pager> pager;

        AlertingListener(ObjectProvider<Pager> pager) {
            this.pager = pager;
        }

        @Override
        public void onEvent(RetryEvent event) {
            if (event instanceof RetryFailed) {
                pager.getObject().alert();
            }
        }
    }

    static class AlertingEventListener {

        private final Pager pager;

        private final AtomicInteger heard = new AtomicInteger();

        AlertingEventListener(Pager pager) {
            this.pager = pager;
        }

        @EventListener
        void on(RetryFailed event) {
            heard.incrementAndGet();
            pager.alert();
        }
    }

    static class RetriedListener implements RetryListener {

        private final Count count;

        RetriedListener(Count count) {
            this.count = count;
        }

        @Override
        @RetryOn(value = IllegalStateException.class, delay = "100ms", jitter = "none")
        public void onEvent(RetryEvent event) {
            if (count.count.incrementAndGet() > TOO_MANY) {
                throw new AssertionError("called again and again");
            }
            throw new IllegalStateException("down");
        }
    }

    static class AskingDecider implements RetryDecider {

        private final Pager pager;

        AskingDecider(Pager pager) {
            this.pager = pager;
        }

        @Override
        public boolean shouldRetry(RetryContext context, @Nullable Throwable error) {
            pager.alert();
            return true;
        }
    }
}
