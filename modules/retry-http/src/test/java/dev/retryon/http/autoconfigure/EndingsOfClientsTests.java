// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.internal.observe.Telemetry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.web.client.RestClient;

/** How requests of an HTTP client may end, as its meters show it. */
class EndingsOfClientsTests {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private List<String> calls() {
        return registry.find("retryon.calls").tag("name", "http").counters().stream()
                .filter(counter -> counter.count() == 0)
                .map(counter -> counter.getId().getTag("outcome") + " "
                        + counter.getId().getTag("reason"))
                .toList();
    }

    @Test
    void areShownBeforeTheyHappen() {
        Telemetry.application()
                .withBean(SimpleMeterRegistry.class, () -> registry)
                .withConfiguration(
                        AutoConfigurations.of(RetryHttpAutoConfiguration.class, RestClientAutoConfiguration.class))
                .withPropertyValues(
                        "retryon.http.enabled=true",
                        "retryon.http.policy=quick",
                        "retryon.policies.quick.timeout=10s",
                        "retryon.policies.quick.budget=default")
                .run(context -> {
                    context.getBean(RestClient.Builder.class)
                            .baseUrl("http://books")
                            .build();
                    assertThat(calls()).contains("failure timeout", "failure budget", "failure exhausted");
                });
    }
}
