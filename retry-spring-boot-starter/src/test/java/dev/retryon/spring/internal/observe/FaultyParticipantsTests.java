/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.retryon.ErrorCodeResolver;
import dev.retryon.ExtensionErrorListener;
import dev.retryon.RetryAfterResolver;
import dev.retryon.RetryContext;
import dev.retryon.RetryDecider;
import dev.retryon.RetryDirective;
import dev.retryon.RetryHint;
import dev.retryon.backoff.BackoffStrategy;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.report.ExtensionErrors;
import dev.retryon.spring.internal.report.StarterLog;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What an application plugs into its calls may fail: the failure is logged once and counted each time. */
class FaultyParticipantsTests {

    private static final String HERE = FaultyParticipantsTests.class.getName();

    private final Logger ours = (Logger) LoggerFactory.getLogger(StarterLog.NAME);

    private final ListAppender<ILoggingEvent> warnings = new ListAppender<>();

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private final ApplicationContextRunner runner = Telemetry.application()
            .withBean(MeterRegistry.class, () -> registry)
            .withBean(Shop.class)
            .withBean("torn", BackoffStrategy.class, () -> (retry, base, previous) -> {
                throw new IllegalStateException("no idea");
            });

    @BeforeEach
    void listen() {
        warnings.start();
        ours.addAppender(warnings);
    }

    @AfterEach
    void forget() {
        ours.detachAppender(warnings);
    }

    /** A call of a method that fails, twice. */
    private interface Call {

        void of(Shop shop) throws IOException;
    }

    private void failsTwice(ApplicationContextRunner application, Call call) {
        application.run(context -> {
            assertThat(context).hasNotFailed();
            for (int i = 0; i < 2; i++) {
                assertThatExceptionOfType(IOException.class)
                        .isThrownBy(() -> call.of(context.getBean(Shop.class)))
                        .withMessage("down");
            }
        });
    }

    private List<String> warnings() {
        return warnings.list.stream()
                .filter(line -> line.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.endsWith(" (logged once)"))
                .toList();
    }

    private double faults(String name, String kind) {
        return registry.get("retryon.faults")
                .tags("name", name, "kind", kind)
                .functionCounter()
                .count();
    }

    @Test
    void gate() {
        failsTwice(runner, Shop::gated);

        assertThat(faults("Shop.gated", "gate")).isEqualTo(2);
        assertThat(warnings())
                .containsExactly(
                        "Shop.gated: the gate 'broken(#error)' failed, so the call is not retried (logged once)");
    }

    @Test
    void gateThatGivesNoBoolean() {
        failsTwice(runner, Shop::unsure);

        assertThat(faults("Shop.unsure", "gate")).isEqualTo(2);
        assertThat(warnings())
                .containsExactly("Shop.unsure: the gate 'text()' failed, so the call is not retried (logged once)");
        assertThat(warnings.list)
                .anySatisfy(line -> assertThat(line.getThrowableProxy().getMessage())
                        .isEqualTo("The gate 'text()' gives a java.lang.String, not a boolean"));
    }

    @Test
    void gateOverValues() {
        runner.run(context -> assertThat(context.getBean(Shop.class).polled()).isEqualTo("pending"));

        assertThat(faults("Shop.polled", "gate")).isEqualTo(1);
        assertThat(warnings())
                .containsExactly("Shop.polled: the gate 'broken(null)' failed, so the returned value is not retried"
                        + " (logged once)");
    }

    @Test
    void backoffThatIsABean() {
        failsTwice(runner, Shop::torn);

        assertThat(faults("Shop.torn", "backoff")).isEqualTo(4); // 2 retries of 2 calls
        assertThat(warnings())
                .containsExactly("Shop.torn: backoff a lambda in " + HERE
                        + " failed, so the base delay of 2s is used (logged once)");
    }

    @Test
    void backoffThatIsAMethodOfTheBean() {
        failsTwice(runner, Shop::negative);

        assertThat(faults("Shop.negative", "backoff")).isEqualTo(4); // 2 retries of 2 calls
        assertThat(warnings())
                .containsExactly(
                        "Shop.negative: backoff backwards failed, so the base delay of 1s is used (logged" + " once)");
    }

    @Test
    void decider() {
        failsTwice(runner.withBean(Moody.class), Shop::plain);

        assertThat(faults("Shop.plain", "decider")).isEqualTo(2);
        assertThat(warnings())
                .containsExactly(
                        "Shop.plain: the decider " + HERE + "$Moody failed, so the call is not retried (logged once)");
    }

    @Test
    void resolvers() {
        failsTwice(
                runner.withBean(ErrorCodeResolver.class, () -> error -> {
                            throw new IllegalStateException("no code");
                        })
                        .withBean(RetryAfterResolver.class, () -> error -> {
                            throw new IllegalArgumentException("no time");
                        }),
                Shop::coded);

        // A resolver of codes and one of waits, for 2 retries of 2 calls; the code is asked for after the last attempt
        // too.
        assertThat(faults("any", "resolver")).isEqualTo(10); // 2 · (3 + 2)
        assertThat(warnings())
                .containsExactly(
                        "the resolver a lambda in " + HERE + " failed and is ignored (logged once)",
                        "the resolver a lambda in " + HERE + " failed and is ignored (logged once)");
    }

    @Test
    void hint() {
        failsTwice(runner, Shop::hinted);

        // Asked for a directive before each decision, and for a wait before each retry.
        assertThat(faults("any", "resolver")).isEqualTo(10); // 2 · (3 + 2)
        assertThat(warnings()).containsExactly("the hint of " + HERE + "$Vague failed and is ignored (logged once)");
    }

    @ParameterizedTest
    @EnumSource
    void whatFailsInTheCoreHasAKindOfItsName(ExtensionErrorListener.Source source) {
        ExtensionErrors faults = new ExtensionErrors();

        faults.onError(source, "shop", "it failed", new IllegalStateException("broken"));

        assertThat(faults.count(ExtensionErrors.Kind.valueOf(source.name()), "shop"))
                .isOne();
    }

    static class Vague extends IOException implements RetryHint {

        private static final long serialVersionUID = 1L;

        Vague() {
            super("down");
        }

        @Override
        public RetryDirective directive() {
            throw new IllegalStateException("no directive");
        }

        @Override
        public Duration retryAfter() {
            throw new IllegalStateException("no time");
        }
    }

    static class Moody implements RetryDecider {

        @Override
        public boolean shouldRetry(RetryContext context, @Nullable Throwable error) {
            throw new IllegalStateException("no mood");
        }
    }

    static class Shop {

        @RetryOn(value = IOException.class, onlyIf = "broken(#error)")
        public void gated() throws IOException {
            throw new IOException("down");
        }

        @RetryOn(value = IOException.class, onlyIf = "text()")
        public void unsure() throws IOException {
            throw new IOException("down");
        }

        @RetryOn(retryIf = "broken(null)", excludes = IOException.class)
        public String polled() {
            return "pending";
        }

        @RetryOn(value = IOException.class, backoff = "torn", delay = "2s")
        public void torn() throws IOException {
            throw new IOException("down");
        }

        @RetryOn(value = IOException.class, backoff = "backwards")
        public void negative() throws IOException {
            throw new IOException("down");
        }

        @RetryOn(IOException.class)
        public void plain() throws IOException {
            throw new IOException("down");
        }

        @RetryOn(IOException.class)
        public void hinted() throws IOException {
            throw new Vague();
        }

        @RetryOn(value = IOException.class, nonRetryableErrors = "auth.*")
        public void coded() throws IOException {
            throw new IOException("down");
        }

        private boolean broken(@Nullable Throwable error) {
            throw new IllegalStateException("broken gate");
        }

        /** Declared so that only a call shows what it is. */
        private Object text() {
            return "yes";
        }

        private Duration backwards(int retry, Duration base) {
            return base.negated();
        }
    }
}
