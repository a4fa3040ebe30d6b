// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.aspects.autoconfigure.RetryAspectsAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryEndpointAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryMetricsAutoConfiguration;
import dev.retryon.spring.internal.actuate.RetryOnEndpoint;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Meters of woven methods, and what the endpoint shows of them. */
@Tag("slow")
class ObservedMethodsTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    RetryAutoConfiguration.class,
                    RetryAspectsAutoConfiguration.class,
                    RetryEndpointAutoConfiguration.class,
                    RetryMetricsAutoConfiguration.class))
            .withBean(SimpleMeterRegistry.class)
            .withBean(Shop.class)
            .withPropertyValues(
                    "management.endpoints.web.exposure.include=retryon",
                    "management.endpoints.jmx.exposure.include=retryon",
                    "retryon.mode=aspectj",
                    "retryon.defaults.delay=1ms",
                    "retryon.methods[dev.retryon.aspects.Shop#hidden].max-attempts=5");

    @Test
    void theEndpointShowsMethodsOfBeansFromTheStart() {
        runner.run(context -> {
            RetryOnEndpoint endpoint = context.getBean(RetryOnEndpoint.class);

            assertThat(endpoint.retries().toString())
                    .contains("name=Shop.hidden", "name=Shop.sealed", "name=Shop.shared");
            assertThat(String.valueOf((Object) endpoint.retried("Shop.hidden")))
                    .contains("maxAttempts=SettingDescription[value=5");
        });
    }

    @Test
    void theEndpointShowsMethodsOfOtherObjectsFromTheirFirstCall() {
        runner.run(context -> {
            RetryOnEndpoint endpoint = context.getBean(RetryOnEndpoint.class);
            assertThat((Object) endpoint.retried("Order.pay")).isNull();

            new Order(new Partner()).pay();

            assertThat((Object) endpoint.retried("Order.pay")).isNotNull();
        });
    }

    @Test
    void metersCountWovenCalls() {
        runner.run(context -> {
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            context.getBean(Shop.class).callsAll();
            new Order(new Partner()).pay();

            assertThat(calls(meters, "Shop.hidden")).isEqualTo(1);
            assertThat(calls(meters, "Order.pay")).isEqualTo(1);
        });
    }

    private static double calls(MeterRegistry meters, String name) {
        return meters.get("retryon.calls")
                .tags("name", name, "outcome", "success_after_retry")
                .counter()
                .count();
    }
}
