// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.retryon.Retry;
import dev.retryon.RetryEngine;
import dev.retryon.RetryPolicy;
import dev.retryon.RetrySignal;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/**
 * The alert RetriesGivingUp: its selector, applied to the meters of calls. Rates over time are not tested, because they need
 * Prometheus.
 */
class AlertTests {

    private static final Pattern ALERT =
            Pattern.compile("rate\\(retryon_calls_total\\{([^}]*)}\\[10m]\\)\\)\\s+/ sum by \\(job, name\\)"
                    + " \\(rate\\(retryon_calls_total\\[10m]");

    private static final Pattern LABEL = Pattern.compile("(\\w+)(=~|!~|!=|=)\"([^\"]*)\"");

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private final ApplicationContextRunner runner =
            Telemetry.application().withBean(MeterRegistry.class, () -> registry);

    @Test
    void firesForCallsThatRetriesDidNotHelp() {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            payments.charge(0);
            payments.charge(1);
            assertThat(selected()).isZero();
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> payments.charge(9));
            assertThat(selected()).isEqualTo(1);
        });
    }

    @Test
    void doesNotFireForCallsThatWereRefusedRecoveredOrCancelled() {
        runner.withPropertyValues("retryon.methods[" + Payments.class.getName() + "#fail].only-if=false")
                .run(context -> {
                    Payments payments = context.getBean(Payments.class);
                    payments.recovered();
                    assertThatIllegalStateException()
                            .isThrownBy(() -> payments.refuse(new IllegalStateException("no")));
                    assertThatExceptionOfType(IOException.class)
                            .isThrownBy(() -> payments.fail(new IOException("rejected by the gate")));
                    for (RetrySignal signal : List.of(RetrySignal.fail("f"), RetrySignal.discard("d"))) {
                        assertThatExceptionOfType(RetrySignal.class).isThrownBy(() -> payments.refuse(signal));
                    }
                    Retry.builder("later", RetryPolicy.builder().build())
                            .engine(context.getBean(RetryEngine.class))
                            .build()
                            .callAsync(CompletableFuture::new)
                            .cancel(false);
                    assertThat(calls(meter -> true)).isEqualTo(6); // 1 + 1 + 1 + 2 + 1
                    assertThat(selected()).isZero();
                });
    }

    private double selected() throws IOException {
        Matcher alert = ALERT.matcher(Files.readString(Path.of("../docs/observability/retryon.rules.yml")));
        assertThat(alert.find()).as("the alert").isTrue();
        Predicate<Meter.Id> selector = id -> true;
        Matcher label = LABEL.matcher(alert.group(1));
        while (label.find()) {
            String key = label.group(1);
            String operator = label.group(2);
            String value = label.group(3);
            selector = selector.and(id -> {
                String tag = String.valueOf(id.getTag(key));
                boolean matches = operator.endsWith("~") ? tag.matches(value) : tag.equals(value);
                return matches != operator.startsWith("!");
            });
        }
        return calls(selector);
    }

    private double calls(Predicate<Meter.Id> selector) {
        return registry.find("retryon.calls").meters().stream()
                .filter(meter -> selector.test(meter.getId()))
                .mapToDouble(meter -> meter.measure().iterator().next().getValue())
                .sum();
    }
}
