// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.autoconfigure.RetryDurableAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableTelemetryAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryMetricsAutoConfiguration;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class StoreMeterDocumentationTests {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void gaugesHaveTheDocumentedNamesAndKeys() {
        new ApplicationContextRunner()
                .withPropertyValues(
                        "retryon.methods.[" + StoreGaugesTests.Orders.class.getName()
                                + "].durable.when-failed=keep-all",
                        "retryon.defaults.durable.unique-key=#args",
                        "spring.datasource.url=jdbc:h2:mem:names")
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        RetryAutoConfiguration.class,
                        RetryMetricsAutoConfiguration.class,
                        RetryDurableCoreAutoConfiguration.class,
                        RetryDurableAutoConfiguration.class,
                        RetryDurableTelemetryAutoConfiguration.class))
                .withBean(StoreGaugesTests.Orders.class)
                .withBean(MeterRegistry.class, () -> registry)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    for (StoreMeterDocumentation documented : StoreMeterDocumentation.values()) {
                        assertThat(meters(documented.getName())).isNotEmpty().allSatisfy(meter -> {
                            assertThat(meter.getId().getType()).isEqualTo(documented.getType());
                            assertThat(meter.getId().getDescription()).isEqualTo(documented.getDescription());
                            assertThat(meter.getId().getTags())
                                    .extracting(Tag::getKey)
                                    .containsExactlyInAnyOrder(Arrays.stream(documented.getKeyNames())
                                            .map(key -> key.asString())
                                            .toArray(String[]::new));
                        });
                    }
                });
    }

    private List<Meter> meters(String name) {
        return registry.getMeters().stream()
                .filter(meter -> meter.getId().getName().equals(name))
                .toList();
    }
}
