// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.style;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.acme.orders.Extensions;
import dev.retryon.RetrySignal;
import dev.retryon.StopReason;
import dev.retryon.spring.VirtualTimeBeans;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.test.RecordedRetries;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The examples of docs/extending.md do what the guide says. */
class ExtensionsGuideTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
            .withUserConfiguration(VirtualTimeBeans.class, Extensions.Beans.class)
            .withBean(Extensions.Bank.class)
            .withPropertyValues("retryon.defaults.jitter=none");

    private interface Check {

        void on(Extensions.Bank bank, RecordedRetries retries) throws Exception;
    }

    private void with(Check check) {
        runner.run(context -> check.on(context.getBean(Extensions.Bank.class), context.getBean(RecordedRetries.class)));
    }

    @Test
    void theAnnotationAndTheStrategy() {
        with((bank, retries) -> {
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> bank.charge("tea"));
            assertThat(retries)
                    .of("Bank.charge")
                    .attempted(3)
                    .waited(Duration.ofSeconds(1), Duration.ofSeconds(5))
                    .failed(StopReason.EXHAUSTED);
        });
    }

    @Test
    void theErrorCodes() {
        with((bank, retries) -> {
            assertThatExceptionOfType(Extensions.BankException.class).isThrownBy(() -> bank.charge("refused"));
            assertThat(bank.calls()).isEqualTo(1);
        });
    }

    @Test
    void theSignals() {
        with((bank, retries) -> {
            assertThatExceptionOfType(RetrySignal.class).isThrownBy(() -> bank.poll("tea"));
            assertThat(retries)
                    .of("Bank.poll")
                    .attempted(3)
                    .waited(Duration.ofSeconds(2), Duration.ofSeconds(2))
                    .failed(StopReason.FAIL);
        });
    }

    @Test
    void theStyle() {
        with((bank, retries) -> {
            assertThat(bank.ask("tea").value()).isEqualTo("at 3");
            assertThat(retries).of("Bank.ask").attempted(3).succeeded();
        });
    }
}
