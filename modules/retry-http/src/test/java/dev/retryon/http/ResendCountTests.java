// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import static dev.retryon.http.ScriptedServer.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.retryon.http.autoconfigure.RetryHttpAutoConfiguration;
import dev.retryon.spring.VirtualTimeBeans;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.InterceptingClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFunctions;
import org.springframework.web.reactive.function.client.WebClient;

/** The number of resends on the observations of Spring's clients. */
@Timeout(60)
class ResendCountTests {

    private static final String COUNT = "http.request.resend_count";

    private final TestObservationRegistry registry = TestObservationRegistry.create();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class, RetryHttpAutoConfiguration.class))
            .withUserConfiguration(VirtualTimeBeans.class)
            .withBean(ObservationRegistry.class, () -> registry);

    private static RestClient.Builder client(ScriptedServer server, RetryClientHttpRequestInterceptor retrying) {
        return RestClient.builder()
                .baseUrl(server.url())
                .requestFactory(new JdkClientHttpRequestFactory())
                .requestInterceptor(retrying.named("stock"));
    }

    private static String get(RestClient.Builder client) {
        return client.build()
                .get()
                .uri("/")
                .exchange((request, response) -> response.getStatusCode().toString());
    }

    private TestObservationRegistryAssert observations() {
        return TestObservationRegistryAssert.assertThat(registry);
    }

    private void oneObservationCounts(String resends) {
        observations()
                .hasNumberOfObservationsEqualTo(1)
                .hasObservationWithNameEqualTo("http.client.requests")
                .that()
                .hasHighCardinalityKeyValue(COUNT, resends)
                .doesNotHaveLowCardinalityKeyValueWithKey(COUNT)
                .hasBeenStopped();
    }

    @Test
    void theObservationOfARestClientHasTheNumberOfTheLastResend() {
        try (ScriptedServer server = new ScriptedServer(status(503), status(503))) {
            runner.run(context -> assertThat(
                            get(client(server, context.getBean(RetryClientHttpRequestInterceptor.class))
                                    .observationRegistry(registry)))
                    .isEqualTo("200 OK"));
            oneObservationCounts("2");
        }
    }

    @Test
    void soHasThatOfARequestThatFails() {
        try (ScriptedServer server = new ScriptedServer(status(503), status(503), status(503))) {
            runner.run(context -> assertThat(
                            get(client(server, context.getBean(RetryClientHttpRequestInterceptor.class))
                                    .observationRegistry(registry)))
                    .isEqualTo("503 SERVICE_UNAVAILABLE"));
            oneObservationCounts("2"); // 2 = 3 attempts - 1
        }
    }

    @Test
    void soHasThatOfARestTemplate() {
        try (ScriptedServer server = new ScriptedServer(status(503))) {
            runner.run(context -> {
                RestTemplate template = new RestTemplate(new JdkClientHttpRequestFactory());
                template.setObservationRegistry(registry);
                template.getInterceptors().add(context.getBean(RetryClientHttpRequestInterceptor.class));
                assertThat(template.getForObject(server.url(), String.class)).isEqualTo("ok");
            });
            oneObservationCounts("1");
        }
    }

    @Test
    void soHasThatOfAWebClient() {
        try (ScriptedServer server = new ScriptedServer(status(503), status(503))) {
            runner.run(context -> assertThat(WebClient.builder()
                            .observationRegistry(registry)
                            .filter(context.getBean(RetryExchangeFilterFunction.class))
                            .build()
                            .get()
                            .uri(server.url())
                            .retrieve()
                            .bodyToMono(String.class)
                            .block())
                    .isEqualTo("ok"));
            // The client stops its observation a moment after it has passed the response on.
            await().untilAsserted(() -> oneObservationCounts("2"));
        }
    }

    @Test
    void aRequestThatIsSentOnceHasNone() {
        try (ScriptedServer server = new ScriptedServer()) {
            runner.run(context -> {
                get(client(server, context.getBean(RetryClientHttpRequestInterceptor.class))
                        .observationRegistry(registry));
                WebClient.builder()
                        .observationRegistry(registry)
                        .filter(context.getBean(RetryExchangeFilterFunction.class))
                        .build()
                        .get()
                        .uri(server.url())
                        .retrieve()
                        .bodyToMono(String.class)
                        .block();
            });
            observations()
                    .hasNumberOfObservationsWithNameEqualTo("http.client.requests", 2)
                    .forAllObservationsWithNameEqualTo(
                            "http.client.requests",
                            request -> request.doesNotHaveHighCardinalityKeyValueWithKey(COUNT));
        }
    }

    @Test
    void theObservationAroundAnUnobservedRequestHasNone() {
        try (ScriptedServer server = new ScriptedServer(status(503))) {
            runner.run(context -> Observation.createNotStarted("order", registry)
                    .observe(() -> get(client(server, context.getBean(RetryClientHttpRequestInterceptor.class)))));
            onlyTheOrderIsObserved(server);
        }
    }

    @Test
    void norHasTheOneAroundARequestWithoutAClient() {
        try (ScriptedServer server = new ScriptedServer(status(503))) {
            runner.run(context -> Observation.createNotStarted("order", registry)
                    .observeChecked(() -> new InterceptingClientHttpRequestFactory(
                                    new JdkClientHttpRequestFactory(),
                                    List.of(context.getBean(RetryClientHttpRequestInterceptor.class)))
                            .createRequest(URI.create(server.url()), HttpMethod.GET)
                            .execute()
                            .close()));
            onlyTheOrderIsObserved(server);
        }
    }

    @Test
    void norHasTheOneInTheContextOfAReactiveRequestWithoutAClient() {
        try (ScriptedServer server = new ScriptedServer(status(503))) {
            Observation order = Observation.start("order", registry);
            runner.run(context -> context.getBean(RetryExchangeFilterFunction.class)
                    .apply(ExchangeFunctions.create(new JdkClientHttpConnector()))
                    .exchange(ClientRequest.create(HttpMethod.GET, URI.create(server.url()))
                            .build())
                    .flatMap(ClientResponse::releaseBody)
                    .contextWrite(view -> view.put(ObservationThreadLocalAccessor.KEY, order))
                    .block());
            order.stop();
            onlyTheOrderIsObserved(server);
        }
    }

    private void onlyTheOrderIsObserved(ScriptedServer server) {
        assertThat(server.requests()).hasSize(2);
        observations()
                .hasNumberOfObservationsEqualTo(1)
                .hasObservationWithNameEqualTo("order")
                .that()
                .doesNotHaveHighCardinalityKeyValueWithKey(COUNT);
    }

    @Test
    void aBrokenRegistryDoesNotFailTheRequest() {
        try (ScriptedServer server = new ScriptedServer(status(503))) {
            new ApplicationContextRunner()
                    .withConfiguration(
                            AutoConfigurations.of(RetryAutoConfiguration.class, RetryHttpAutoConfiguration.class))
                    .withUserConfiguration(VirtualTimeBeans.class)
                    .withBean(ObservationRegistry.class, BrokenRegistry::new)
                    .run(context -> assertThat(
                                    get(client(server, context.getBean(RetryClientHttpRequestInterceptor.class))))
                            .isEqualTo("200 OK"));
        }
    }

    static class BrokenRegistry implements ObservationRegistry {

        @Override
        public Observation getCurrentObservation() {
            throw new IllegalStateException("broken");
        }

        @Override
        public Observation.Scope getCurrentObservationScope() {
            throw new IllegalStateException("broken");
        }

        @Override
        public void setCurrentObservationScope(Observation.Scope scope) {
            throw new IllegalStateException("broken");
        }

        @Override
        public ObservationConfig observationConfig() {
            return new ObservationConfig();
        }
    }
}
