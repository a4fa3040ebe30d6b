// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.module.ExtensionErrors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;

/** A call whose arguments would not come back as they were is not accepted, and its caller learns of that. */
@ExtendWith(OutputCaptureExtension.class)
class ChangedArgumentsTests {

    @TempDir
    private Path folder;

    private ApplicationContextRunner application(Class<?> bean) {
        return DurableTrial.embedded(folder).withBean(bean);
    }

    private static long faults(ApplicationContext context, ExtensionErrorListener.Kind kind, String name) {
        return context.getBean(ExtensionErrors.class).count(kind, name);
    }

    @Test
    void onFailureTheCallerGetsTheErrorOfTheAttempt() {
        application(Shop.class).run(context -> {
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> context.getBean(Shop.class).bill(List.of(new Vip())))
                    .withMessage("down")
                    .satisfies(ex ->
                            assertThat(ex.getSuppressed()).hasAtLeastOneElementOfType(IllegalArgumentException.class));
            assertThat(DurableTrial.stored(context)).isZero();
            assertThat(faults(context, ExtensionErrorListener.Kind.STORE, "Shop.bill"))
                    .isEqualTo(1);

            context.getBean(Shop.class).bill(List.of(new Customer()));
            assertThat(DurableTrial.stored(context)).isEqualTo(1);
        });
    }

    @Test
    void anOutboxRefusesTheCall() {
        application(Outbox.class)
                .withPropertyValues("retryon.durable.outbox-apart=true")
                .run(context -> {
                    assertThatIllegalArgumentException()
                            .isThrownBy(() -> context.getBean(Outbox.class).order(new Details(Map.of("id", 5L))))
                            .withMessageContaining("at values[] a java.lang.Long is read back as a java.lang.Integer");
                    assertThat(DurableTrial.stored(context)).isZero();
                });
    }

    @Test
    void aDeadLetterThatWouldNotBeTheCallIsNotKept() {
        application(Letters.class).run(context -> {
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> context.getBean(Letters.class).send(new Details(Map.of("id", 5L))))
                    .satisfies(ex ->
                            assertThat(ex.getSuppressed()).hasAtLeastOneElementOfType(IllegalArgumentException.class));
            assertThat(DurableTrial.deadLetters(context)).isEmpty();
            assertThat(faults(context, ExtensionErrorListener.Kind.DEAD_LETTER, "Letters.send"))
                    .isEqualTo(1);
        });
    }

    @Test
    void aDoubtfulPlaceIsOneWarningWithItsPath(CapturedOutput output) {
        application(Letters.class)
                .withBean(Outbox.class)
                .withPropertyValues("retryon.durable.outbox-apart=true")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output)
                            .containsOnlyOnce("calls might be rejected, because of parameter details of method send:"
                                    + " its property values is of type"
                                    + " java.util.Map<java.lang.String,java.lang.Object>")
                            .containsOnlyOnce(
                                    "calls might be rejected, because of parameter details of method order: ");
                });
    }

    @Test
    void anApplicationWithoutSuchPlacesGetsNoWarning(CapturedOutput output) {
        application(Shop.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(output).doesNotContain("might be rejected");
        });
    }

    record Details(Map<String, Object> values) {}

    static class Customer {

        int discount() {
            return 0;
        }
    }

    static class Vip extends Customer {

        @Override
        int discount() {
            return 50;
        }
    }

    static class Shop {

        @RetryOn(value = IOException.class, delay = "1h")
        @Durable(ON_FAILURE)
        public void bill(List<Customer> customers) throws IOException {
            throw new IOException("down");
        }
    }

    static class Outbox {

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void order(Details details) throws IOException {
            throw new IOException("down");
        }
    }

    static class Letters {

        @RetryOn(value = IOException.class, maxAttempts = 1)
        @Durable(ON_EXHAUSTION)
        public void send(Details details) throws IOException {
            throw new IOException("down");
        }
    }
}
