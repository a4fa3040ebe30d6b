// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.retryon.http.RetryClientHttpRequestInterceptor;
import dev.retryon.spring.RetryObservationEvent;
import dev.retryon.spring.internal.observe.Telemetry;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpStatusCode;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.web.client.RestClient;

/** The status of an HTTP response that is retried, in meters, traces and logs. */
@ExtendWith(OutputCaptureExtension.class)
class RefusedResponsesTests {

    private final List<Observation.Event> events = new ArrayList<>();

    private final ApplicationContextRunner runner = Telemetry.application()
            .withConfiguration(AutoConfigurations.of(RetryHttpAutoConfiguration.class))
            .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
            .withBean(ObservationRegistry.class, this::observations)
            .withPropertyValues("retryon.defaults.delay=0");

    private ObservationRegistry observations() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new ObservationHandler<Observation.Context>() {

            @Override
            public void onEvent(Observation.Event event, Observation.Context context) {
                events.add(event);
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        return registry;
    }

    private static HttpStatusCode get(ApplicationContext context, int... statuses) {
        int[] seen = new int[1];
        return RestClient.builder()
                .observationRegistry(context.getBean(ObservationRegistry.class))
                .requestInterceptor(context.getBean(RetryClientHttpRequestInterceptor.class))
                .requestFactory((uri, method) -> {
                    MockClientHttpRequest request = new MockClientHttpRequest(method, uri);
                    request.setResponse(new MockClientHttpResponse(new byte[0], statuses[seen[0]++]));
                    return request;
                })
                .build()
                .get()
                .uri("http://books")
                .exchange((request, response) -> response.getStatusCode());
    }

    @Test
    void showTheirStatus(CapturedOutput output) {
        runner.run(context -> {
            assertThat(get(context, 503, 429, 502).value()).isEqualTo(502);

            MeterRegistry meters = context.getBean(MeterRegistry.class);
            assertThat(meters.find("retryon.retries").tag("name", "http").counters())
                    .filteredOn(counter -> counter.count() > 0)
                    .extracting(counter -> counter.getId().getTag("exception"), counter -> counter.count())
                    .containsExactlyInAnyOrder(tuple("http.503", 1.0), tuple("http.429", 1.0));
        });
        assertThat(events)
                .extracting(event -> ((RetryObservationEvent) event)
                        .keyValues().stream()
                                .filter(pair -> pair.getKey().equals("retry.exception"))
                                .findFirst()
                                .orElseThrow()
                                .getValue())
                .containsExactly("http.503", "http.429");
        assertThat(output)
                .containsPattern("WARN .* http: failed after attempt 3 of 3, \\S+ after the first failure, exhausted;"
                        + " dev\\.retryon\\.http\\.RetryableResponseException \\(http\\.502\\)");
    }
}
