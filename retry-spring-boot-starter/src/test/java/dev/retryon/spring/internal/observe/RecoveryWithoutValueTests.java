// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.spring.RetryOn;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** A recovery method has no value where the retried one must return one. */
@ExtendWith(OutputCaptureExtension.class)
class RecoveryWithoutValueTests {

    @Test
    void nullForAPrimitiveIsAFailureOfTheRecovery(CapturedOutput output) {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        Telemetry.application()
                .withBean(MeterRegistry.class, () -> registry)
                .withBean(Shop.class)
                .run(context -> {
                    assertThatThrownBy(() -> context.getBean(Shop.class).stock())
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessage("The recovery method none() returned null, but stock() returns int")
                            .satisfies(fault -> assertThat(fault.getSuppressed())
                                    .singleElement()
                                    .satisfies(down -> assertThat(down)
                                            .isInstanceOf(IOException.class)
                                            .hasMessage("down")));

                    assertThat(calls(registry, "recovered")).isZero();
                    assertThat(calls(registry, "failure")).isOne();
                    assertThat(output.getOut().lines().filter(line -> line.contains("Shop.stock")))
                            .noneMatch(line -> line.contains("recovered"))
                            .anyMatch(line -> line.contains("WARN"));
                });
    }

    private static double calls(MeterRegistry registry, String outcome) {
        return registry.find("retryon.calls").tags("name", "Shop.stock", "outcome", outcome).counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    static class Shop {

        @RetryOn(value = IOException.class, recover = "none")
        public int stock() throws IOException {
            throw new IOException("down");
        }

        private @Nullable Integer none() {
            return null;
        }
    }
}
