// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.RetryPolicy;
import dev.retryon.http.HttpRetry;
import dev.retryon.http.RetryClientHttpRequestInterceptor;
import dev.retryon.http.autoconfigure.RetryHttpAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryEndpointAutoConfiguration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What the endpoint shows of HTTP clients that retry. */
class HttpClientsInEndpointTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    RetryAutoConfiguration.class,
                    RetryHttpAutoConfiguration.class,
                    RetryEndpointAutoConfiguration.class))
            .withPropertyValues(
                    "management.endpoints.web.exposure.include=retryon",
                    "management.endpoints.jmx.exposure.include=retryon",
                    "retryon.http.policy=backend",
                    "retryon.http.statuses=429,503",
                    "retryon.http.idempotency-key=generate",
                    "retryon.policies.backend.max-attempts=4",
                    "retryon.defaults.delay=200ms");

    private static Map<String, RetriedDescription.SettingDescription> settings(RetryOnEndpoint endpoint, String name) {
        RetriedDescription retried = endpoint.retried(name);
        assertThat(retried).isNotNull();
        assertThat(retried.methods()).isEmpty();
        assertThat(retried.client()).isNotNull();
        return retried.client().settings();
    }

    @Test
    void aClientIsShownWithItsPolicyStatusesAndMethods() {
        runner.run(context -> {
            RetryOnEndpoint endpoint = context.getBean(RetryOnEndpoint.class);
            context.getBean(RetryClientHttpRequestInterceptor.class).named("catalogue");

            Map<String, RetriedDescription.SettingDescription> settings = settings(endpoint, "http catalogue");

            assertThat(settings.get("maxAttempts"))
                    .isEqualTo(new RetriedDescription.SettingDescription(4, List.of("retryon.policies.backend")));
            assertThat(settings.get("delay"))
                    .isEqualTo(new RetriedDescription.SettingDescription("200ms", List.of("retryon.defaults")));
            assertThat(settings.get("statuses"))
                    .isEqualTo(new RetriedDescription.SettingDescription(
                            List.of(429, 503), List.of("retryon.http.statuses")));
            assertThat(settings.get("methods"))
                    .isEqualTo(new RetriedDescription.SettingDescription(
                            List.of("GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"), List.of("default")));
            assertThat(settings.get("idempotencyKeyHeader"))
                    .isEqualTo(new RetriedDescription.SettingDescription("Idempotency-Key", List.of("default")));
            assertThat(settings.get("idempotencyKey"))
                    .isEqualTo(new RetriedDescription.SettingDescription(
                            "generate", List.of("retryon.http.idempotency-key")));
            assertThat(endpoint.retried("http catalogue").client().schedule()).hasSize(3); // 3 = 4 - 1
            assertThat(endpoint.retries().retries())
                    .extracting(RetriedDescription::name)
                    .contains("http", "http catalogue");
        });
    }

    @Test
    void whatIsSetInCodeIsShownAsThat() {
        runner.run(context -> {
            context.getBean(HttpRetry.class).toBuilder()
                    .name("orders")
                    .policy(RetryPolicy.builder().maxAttempts(2).build())
                    .statuses(Set.of(500))
                    .build();

            Map<String, RetriedDescription.SettingDescription> settings =
                    settings(context.getBean(RetryOnEndpoint.class), "http orders");

            assertThat(settings.get("maxAttempts"))
                    .isEqualTo(new RetriedDescription.SettingDescription(2, List.of("code")));
            assertThat(settings.get("statuses"))
                    .isEqualTo(new RetriedDescription.SettingDescription(List.of(500), List.of("code")));
            assertThat(settings.get("delay"))
                    .isEqualTo(new RetriedDescription.SettingDescription("1s", List.of("code")));
        });
    }
}
