// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.retryon.RetryHintResolver;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.module.StarterLog;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/**
 * Failures of extensions are counted each time and logged once. {@code ExtensionErrorListenerTests} in the core tests which
 * failures are reported, and with which sentence. This class tests the report, and the failures of expressions and bean
 * methods, which only the starter has.
 */
class FaultCountsTests {

    private final Logger ours = (Logger) LoggerFactory.getLogger(StarterLog.NAME);

    private final ListAppender<ILoggingEvent> warnings = new ListAppender<>();

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private final ApplicationContextRunner runner = Telemetry.application()
            .withBean(MeterRegistry.class, () -> registry)
            .withBean(Shop.class);

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
        return registry.get("retryon.extension.errors")
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
                        .isEqualTo("The gate 'text()' returns a java.lang.String, not a boolean"));
    }

    @Test
    void gateOverValues() {
        runner.run(context -> assertThat(context.getBean(Shop.class).polled()).isEqualTo("pending"));

        assertThat(faults("Shop.polled", "gate")).isEqualTo(1);
        assertThat(warnings())
                .containsExactly("Shop.polled: the gate 'broken(null)' failed, so the returned value is accepted"
                        + " (logged once)");
    }

    @Test
    void backoffThatIsAMethodOfTheBean() {
        failsTwice(runner, Shop::negative);

        assertThat(faults("Shop.negative", "backoff")).isEqualTo(4); // 2 retries of 2 calls
        assertThat(warnings())
                .containsExactly(
                        "Shop.negative: backoff backwards failed, so the base delay of 1s is used (logged once)");
    }

    @Test
    void resolverBelongsToNoMethod() {
        failsTwice(
                runner.withBean(RetryHintResolver.class, () -> (error, context) -> {
                    throw new IllegalArgumentException("no time");
                }),
                Shop::plain);

        assertThat(faults("any", "resolver")).isEqualTo(6); // 3 failures of 2 calls
        assertThat(warnings()).singleElement().asString().startsWith("the resolver ");
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

        @RetryOn(value = IOException.class, backoff = "backwards")
        public void negative() throws IOException {
            throw new IOException("down");
        }

        @RetryOn(IOException.class)
        public void plain() throws IOException {
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
