// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.RetryHintResolver;
import dev.retryon.RetryPolicy;
import dev.retryon.RetryTime;
import dev.retryon.http.HttpRetry;
import dev.retryon.http.RetryClientHttpRequestInterceptor;
import dev.retryon.http.RetryExchangeFilterFunction;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetryEngineCustomizer;
import dev.retryon.spring.VirtualTimeBeans;
import dev.retryon.spring.autoconfigure.ConfigurationMetadata;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryMetricsAutoConfiguration;
import dev.retryon.test.RecordedRetries;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.client.autoconfigure.HttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.imperative.ImperativeHttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.service.HttpServiceClientPropertiesAutoConfiguration;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.RestTemplateAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.service.HttpServiceClientAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.registry.ImportHttpServices;

class RetryHttpAutoConfigurationTests {

    private final ApplicationContextRunner realTime = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    RetryAutoConfiguration.class,
                    RetryHttpAutoConfiguration.class,
                    HttpClientAutoConfiguration.class,
                    ImperativeHttpClientAutoConfiguration.class,
                    RestClientAutoConfiguration.class,
                    RestTemplateAutoConfiguration.class));

    private final ApplicationContextRunner runner = realTime.withUserConfiguration(VirtualTimeBeans.class);

    private final ApplicationContextRunner enabled = runner.withPropertyValues("retryon.http.enabled=true");

    /** Answers 503 to all but the last of so many requests. */
    private static ClientHttpRequestFactory busyFor(int requests) {
        int[] seen = new int[1];
        return (URI uri, HttpMethod method) -> {
            MockClientHttpRequest request = new MockClientHttpRequest(method, uri);
            request.setResponse(new MockClientHttpResponse(new byte[0], ++seen[0] < requests ? 503 : 204));
            return request;
        };
    }

    private static List<ClientHttpRequestInterceptor> interceptors(RestClient.Builder builder) {
        List<ClientHttpRequestInterceptor> found = new ArrayList<>();
        builder.requestInterceptors(found::addAll);
        return found;
    }

    @Test
    void isOffUnlessSwitchedOn() {
        runner.run(context -> {
            assertThat(interceptors(context.getBean(RestClient.Builder.class))).isEmpty();
            assertThat(context.getBean(RestTemplateBuilder.class).build().getInterceptors())
                    .isEmpty();
            assertThat(context)
                    .as("for those who add them by hand")
                    .hasSingleBean(RetryClientHttpRequestInterceptor.class)
                    .hasSingleBean(RetryExchangeFilterFunction.class);
        });
    }

    @Test
    void retriesInRestClients() {
        enabled.run(context -> {
            RestClient client = context.getBean(RestClient.Builder.class)
                    .requestFactory(busyFor(3))
                    .build();
            client.get().uri("http://books").retrieve().toBodilessEntity();
            assertThat(context.getBean(RecordedRetries.class))
                    .of("http")
                    .attempted(3)
                    .succeeded();
        });
    }

    @Test
    void laterRequestsHaveTheirNumberInTheLogContext() {
        enabled.run(context -> {
            List<String> logged = new ArrayList<>();
            RestClient client = context.getBean(RestClient.Builder.class)
                    .requestFactory(busyFor(2))
                    .requestInterceptor((request, body, execution) -> {
                        logged.add(MDC.get("retry.name") + " " + MDC.get("retry.attempt"));
                        return execution.execute(request, body);
                    })
                    .build();
            client.get().uri("http://books").retrieve().toBodilessEntity();
            assertThat(logged).containsExactly("null null", "http 2");
        });
    }

    @Test
    void retriesInRestTemplates() {
        enabled.run(context -> {
            RestTemplate template = context.getBean(RestTemplateBuilder.class)
                    .requestFactory(() -> busyFor(2))
                    .build();
            template.getForEntity("http://books", Void.class);
            assertThat(context.getBean(RecordedRetries.class)).of("http").attempted(2);
        });
    }

    @Test
    void isTheFirstOfTheInterceptorsAndThereOnce() {
        ClientHttpRequestInterceptor own = (request, body, execution) -> execution.execute(request, body);
        enabled.withBean(
                        org.springframework.boot.restclient.RestClientCustomizer.class,
                        () -> builder -> builder.requestInterceptor(own))
                .run(context -> {
                    RetryClientHttpRequestInterceptor retrying =
                            context.getBean(RetryClientHttpRequestInterceptor.class);
                    assertThat(interceptors(context.getBean(RestClient.Builder.class)))
                            .containsExactly(retrying, own);
                    assertThat(context.getBean(RestTemplateBuilder.class)
                                    .interceptors(own)
                                    .build()
                                    .getInterceptors())
                            .containsExactly(retrying, own);
                    List<ClientHttpRequestInterceptor> byHand = new ArrayList<>(List.of(own, retrying.named("mine")));
                    retrying.addFirst(byHand);
                    assertThat(byHand).hasSize(2);
                });
    }

    @Test
    void properties() {
        enabled.withPropertyValues(
                        "retryon.defaults.max-attempts=7",
                        "retryon.limits.max-attempts=6",
                        "retryon.policies.slow.delay=3s",
                        "retryon.policies.slow.only-if=#attempt < 5 && #root.method.name() == 'GET'",
                        "retryon.policies.slow.budget=default",
                        "retryon.http.policy=slow",
                        "retryon.http.statuses=500,503",
                        "retryon.http.methods=get,POST",
                        "retryon.http.idempotency-key-header=")
                .run(context -> {
                    HttpRetry http = context.getBean(HttpRetry.class);
                    assertThat(http.name()).isEqualTo("http");
                    assertThat(http.policy().maxAttempts()).isEqualTo(6);
                    assertThat(http.policy().delay()).isEqualTo(Duration.ofSeconds(3));
                    assertThat(http.policy().exceptions()).contains(IOException.class);
                    assertThat(http.policy().budget()).isNotNull();
                    assertThat(http.statuses()).containsExactly(500, 503);
                    assertThat(http.methods()).containsExactly(HttpMethod.GET, HttpMethod.POST);
                    assertThat(http.idempotencyKeyHeader()).isNull();

                    RestClient client = context.getBean(RestClient.Builder.class)
                            .requestFactory(busyFor(9))
                            .defaultStatusHandler(status -> true, (request, response) -> {})
                            .build();
                    client.get().uri("http://books").retrieve().toBodilessEntity();
                    assertThat(context.getBean(RecordedRetries.class))
                            .of("http")
                            .attempted(5);
                    client.post().uri("http://books").retrieve().toBodilessEntity();
                    assertThat(context.getBean(RecordedRetries.class))
                            .of("http")
                            .attempted(1);
                });
    }

    @Test
    void generatedIdempotencyKeys() {
        enabled.withPropertyValues("retryon.http.idempotency-key=generate").run(context -> {
            RestClient client = context.getBean(RestClient.Builder.class)
                    .requestFactory(busyFor(2))
                    .build();

            client.post().uri("http://books").retrieve().toBodilessEntity();

            assertThat(context.getBean(RecordedRetries.class)).of("http").attempted(2);
        });
    }

    @Test
    void defaultsAreTheSameByPropertiesAndByHand() {
        runner.run(context -> {
            HttpRetry configured = context.getBean(HttpRetry.class);
            RetryPolicy policy = RetryPolicy.builder()
                    .excludes(CallNotPermittedException.class) // a default of Spring applications
                    .build();
            HttpRetry byHand = HttpRetry.builder().policy(policy).build();
            assertThat(configured.statuses()).isEqualTo(byHand.statuses());
            assertThat(configured.methods()).isEqualTo(byHand.methods());
            assertThat(configured.idempotencyKeyHeader()).isEqualTo(byHand.idempotencyKeyHeader());
            assertThat(configured.generatesIdempotencyKey()).isFalse();
            assertThat(byHand.generatesIdempotencyKey()).isFalse();
            assertThat(configured.policy()).hasToString(byHand.policy().toString());
        });
    }

    @Test
    void metadataShowsTheDefaults() throws Exception {
        Map<String, Map<String, Object>> properties =
                ConfigurationMetadata.read().properties();
        assertThat(properties.get("retryon.http.statuses")).containsEntry("defaultValue", HttpRetry.DEFAULT_STATUSES);
        assertThat(properties.get("retryon.http.methods")).containsEntry("defaultValue", HttpRetry.DEFAULT_METHODS);
    }

    @Test
    void faultsAreReportedTogether() {
        enabled.withPropertyValues(
                        "retryon.http.policy=slwo",
                        "retryon.http.statuses=503,99",
                        "retryon.http.methods=GET,no method")
                .run(faults(
                        "retryon.http.policy: policy is 'slwo', but no policy has this name",
                        "retryon.http.statuses: contains '99', but must contain only numbers from 100 to 599",
                        "retryon.http.methods: contains 'no method', but must contain only COPY, DELETE, GET, "));
        enabled.withPropertyValues(
                        "retryon.policies.slow.backoff=slwo",
                        "retryon.policies.slow.only-if=#order != null",
                        "retryon.http.policy=slow",
                        "retryon.http.statusses=503")
                .run(faults(
                        "backoff is 'slwo', but must be one of decorrelated, ",
                        "names the unknown variable #order",
                        "retryon.http.statusses"));
        enabled.withPropertyValues("retryon.policies.slow.before-retry=other", "retryon.http.policy=slow")
                .run(faults("retryon.policies.slow.before-retry: beforeRetry is 'other', but only a retried method of a"
                        + " bean can run a method before a retry; use a separate policy for HTTP requests:"
                        + " retryon.http.policy"));
        enabled.withPropertyValues("retryon.policies.slow.recover=other", "retryon.http.policy=slow")
                .run(faults("retryon.policies.slow.recover: recover is 'other', but only a retried method of a bean can"
                        + " have a recovery method; use a separate policy for HTTP requests:"
                        + " retryon.http.policy"));
    }

    private static ContextConsumer<AssertableApplicationContext> faults(String... parts) {
        return context -> assertThat(context)
                .getFailure()
                .isInstanceOf(RetryConfigurationException.class)
                .message()
                .contains(parts)
                .doesNotContain("or a method of java.lang.Object");
    }

    @Test
    void settingsOfTheUsersReplaceOurs() {
        HttpRetry own = HttpRetry.builder().name("mine").build();
        enabled.withBean(HttpRetry.class, () -> own).run(context -> {
            assertThat(context.getBean(RetryClientHttpRequestInterceptor.class).settings())
                    .isSameAs(own);
            assertThat(context.getBean(RetryExchangeFilterFunction.class).settings())
                    .isSameAs(own);
        });
    }

    @Test
    void requestsAreMetered() {
        enabled.withConfiguration(AutoConfigurations.of(RetryMetricsAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .run(context -> {
                    MeterRegistry meters = context.getBean(MeterRegistry.class);
                    RestClient client = context.getBean(RestClient.Builder.class)
                            .requestFactory(busyFor(3))
                            .build();
                    client.get().uri("http://books").retrieve().toBodilessEntity();
                    client.get().uri("http://books").retrieve().toBodilessEntity();

                    assertThat(meters.get("retryon.retries")
                                    .tags("name", "http", "exception", "http.503")
                                    .counter()
                                    .count())
                            .isEqualTo(2);
                    assertThat(meters.get("retryon.calls")
                                    .tags("name", "http", "outcome", "success_after_retry")
                                    .counter()
                                    .count())
                            .isEqualTo(1);
                    assertThat(meters.get("retryon.calls")
                                    .tags("name", "http", "outcome", "success")
                                    .functionCounter()
                                    .count())
                            .isEqualTo(1);
                });
    }

    @Test
    void requestsThatWaitAreMetered() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        List<Double> seen = new ArrayList<>();
        realTime.withConfiguration(AutoConfigurations.of(RetryMetricsAutoConfiguration.class))
                .withPropertyValues("retryon.http.enabled=true")
                .withBean(SimpleMeterRegistry.class, () -> meters)
                .withBean(
                        RetryEngineCustomizer.class,
                        () -> engine -> engine.time(new RetryTime() {
                            @Override
                            public void sleep(Duration delay) {
                                seen.add(meters.get("retryon.waiting")
                                        .tags("name", "http")
                                        .gauge()
                                        .value());
                            }
                        }))
                .run(context -> {
                    context.getBean(RestClient.Builder.class)
                            .requestFactory(busyFor(3))
                            .build()
                            .get()
                            .uri("http://books")
                            .retrieve()
                            .toBodilessEntity();
                    assertThat(seen).containsExactly(1.0, 1.0);
                });
    }

    @Test
    void nothingIsMeteredIfNothingIsRetried() {
        runner.withConfiguration(AutoConfigurations.of(RetryMetricsAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .run(context -> assertThat(context.getBean(MeterRegistry.class)
                                .find("retryon.calls")
                                .meters())
                        .isEmpty());
    }

    @Test
    void groupsOfHttpServicesHaveTheirNames() {
        enabled.withConfiguration(AutoConfigurations.of(
                        HttpServiceClientPropertiesAutoConfiguration.class, HttpServiceClientAutoConfiguration.class))
                .withUserConfiguration(Groups.class)
                .withBean(
                        org.springframework.boot.restclient.RestClientCustomizer.class,
                        () -> builder -> builder.baseUrl("http://books").requestFactory(busyFor(2)))
                .run(context -> {
                    context.getBean(Books.class).find();
                    assertThat(context.getBean(RecordedRetries.class))
                            .of("http library")
                            .attempted(2);
                });
    }

    @Test
    void withRetriesSwitchedOffWhatIsWiredByHandRetriesNothing() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        RetryAutoConfiguration.class,
                        RetryHttpAutoConfiguration.class,
                        RestClientAutoConfiguration.class))
                .withPropertyValues("retryon.enabled=false", "retryon.http.enabled=true")
                .run(context -> {
                    assertThat(interceptors(context.getBean(RestClient.Builder.class)))
                            .isEmpty();
                    RestClient client = RestClient.builder()
                            .requestFactory(busyFor(2))
                            .requestInterceptor(context.getBean(RetryClientHttpRequestInterceptor.class))
                            .build();
                    int status = client.get()
                            .uri("http://books")
                            .exchange((request, response) ->
                                    response.getStatusCode().value());
                    assertThat(status).isEqualTo(503);
                });
    }

    @Test
    void worksWithoutTheReactiveClient() {
        enabled.withClassLoader(
                        new FilteredClassLoader(WebClient.class.getPackageName(), "reactor", "org.reactivestreams"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(RetryClientHttpRequestInterceptor.class)
                        .hasSingleBean(RetryHintResolver.class)
                        .doesNotHaveBean("retryOnExchangeFilterFunction"));
    }

    @Test
    void worksWithoutBootsClients() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(RetryAutoConfiguration.class, RetryHttpAutoConfiguration.class))
                .withPropertyValues("retryon.http.enabled=true")
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.restclient"))
                .run(context ->
                        assertThat(context).hasNotFailed().hasSingleBean(RetryClientHttpRequestInterceptor.class));
    }

    @Test
    void worksWithoutSpringWeb() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(RetryAutoConfiguration.class, RetryHttpAutoConfiguration.class))
                .withPropertyValues("retryon.http.enabled=true")
                .withClassLoader(new FilteredClassLoader("org.springframework.http", "org.springframework.web"))
                .run(context -> {
                    assertThat(context).hasNotFailed().hasBean("retryOnEngine");
                    assertThat(context).doesNotHaveBean("retryOnHttp");
                });
    }

    @Configuration(proxyBeanMethods = false)
    @ImportHttpServices(group = "library", types = Books.class)
    static class Groups {}

    interface Books {

        @GetExchange("/books")
        @Nullable String find();
    }
}
