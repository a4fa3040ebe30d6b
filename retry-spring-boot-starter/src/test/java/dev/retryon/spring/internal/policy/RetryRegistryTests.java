// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.retryon.Retry;
import dev.retryon.RetryPolicy;
import dev.retryon.StopReason;
import dev.retryon.spring.RetryRegistry;
import dev.retryon.spring.VirtualTimeBeans;
import dev.retryon.test.RecordedRetries;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Retries for code without annotations. */
class RetryRegistryTests {

    private final ApplicationContextRunner runner = Applications.retrying()
            .withUserConfiguration(VirtualTimeBeans.class)
            .withPropertyValues(
                    "retryon.defaults.exceptions=java.io.IOException",
                    "retryon.policies.payments.max-attempts=4",
                    "retryon.policies.served.recover=fallback",
                    "retryon.policies.gated.only-if=#attempt < 2",
                    "retryon.policies.gated.max-attempts=9");

    @Test
    void aNamedPolicyIsThatOfTheProperties() {
        runner.run(context -> {
            RetryRegistry registry = context.getBean(RetryRegistry.class);
            assertFails(registry.retry("payments"));
            assertThat(context.getBean(RecordedRetries.class))
                    .of("payments")
                    .attempted(4)
                    .failed(StopReason.EXHAUSTED);
            assertThat(registry.retry("payments")).isSameAs(registry.retry("payments"));
            assertFails(registry.retry("gated"));
            assertThat(context.getBean(RecordedRetries.class))
                    .of("gated")
                    .attempted(2)
                    .failed(StopReason.REJECTED);
        });
    }

    @Test
    void aPolicyBuiltInCodeUsesTheEngineOfTheApplication() {
        runner.run(context -> {
            RetryPolicy policy = RetryPolicy.builder()
                    .retryOn(IOException.class)
                    .delay(Duration.ofHours(1))
                    .maxDelay(Duration.ofHours(9))
                    .maxAttempts(5)
                    .build();
            assertFails(context.getBean(RetryRegistry.class).retry("orders", policy));
            assertThat(context.getBean(RecordedRetries.class))
                    .of("orders")
                    .attempted(5)
                    .failed(StopReason.EXHAUSTED);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "orders/all", "orders\nall"})
    void aNameThatNoAddressCanHaveIsRefused(String name) {
        RetryPolicy policy = RetryPolicy.builder().retryOn(IOException.class).build();
        runner.run(context -> assertThatIllegalArgumentException()
                .isThrownBy(() -> context.getBean(RetryRegistry.class).retry(name, policy))
                .withMessage("name is '" + name.replace('\n', '\uFFFD') + "', but must not be blank or contain a"
                        + " slash or a line break, because it is part of URLs; use a name such as"
                        + " payments.charge"));
    }

    @Test
    void anUnknownNameIsRefusedWithTheKnownOnes() {
        runner.run(context -> assertThatIllegalArgumentException()
                .isThrownBy(() -> context.getBean(RetryRegistry.class).retry("payment"))
                .withMessage("no policy is named 'payment'; use one of gated, grpc-transient, http-transient,"
                        + " jdbc-transient, payments, served, or configure retryon.policies.payment"));
    }

    @Test
    void aPolicyThatNeedsABeanIsRefused() {
        runner.run(context -> assertThatIllegalArgumentException()
                .isThrownBy(() -> context.getBean(RetryRegistry.class).retry("served"))
                .withMessageStartingWith(
                        "retryon.policies.served.recover: recover is 'fallback', but only a retried method of a bean"));
    }

    @Test
    void aRefusedPolicyHasNoMeters() {
        runner.withPropertyValues("retryon.metrics.max-tag-values=1").run(context -> {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> context.getBean(RetryRegistry.class).retry("served"));

            NamedRetries retries = context.getBean(NamedRetries.class);
            assertThat(retries.counters("served")).isEmpty();
            retries.names().of("customer-1");
            assertThat(retries.names().of("served")).isEqualTo("other");
        });
    }

    @Test
    void whatTheDefaultsSayForMethodsAloneIsLeftOut() {
        runner.withPropertyValues("retryon.defaults.recover=fallback")
                .run(context -> assertFails(context.getBean(RetryRegistry.class).retry("payments")));
    }

    private static void assertFails(Retry retry) {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> retry.call(() -> {
                    throw new IOException("down");
                }));
    }
}
