// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.RetryPolicy;
import dev.retryon.http.autoconfigure.RetryHttpAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

/** The examples in docs/http-clients.md compile and start as they stand there. */
class HttpClientsGuideTests {

    private static final String GUIDE = "docs/http-clients.md";

    private static final String THIS = "modules/retry-http/src/test/java/"
            + HttpClientsGuideTests.class.getName().replace('.', '/') + ".java";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class, RetryHttpAutoConfiguration.class));

    private static String read(String path) {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve(GUIDE))) {
            folder = folder.getParent();
        }
        try {
            return Files.readString(folder.resolve(path)).replace("\r\n", "\n");
        } catch (IOException ex) {
            throw new AssertionError(ex);
        }
    }

    private static List<String> blocks(String language) {
        return Pattern.compile("^```" + language + "\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE)
                .matcher(read(GUIDE))
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    private static String withoutSpace(String code) {
        return code.replaceAll("\\s+", "");
    }

    @Test
    void theExamplesAreBelow() {
        String examples = withoutSpace(read(THIS));
        assertThat(blocks("java"))
                .hasSize(5)
                .allSatisfy(block -> assertThat(examples).contains(withoutSpace(block)));
    }

    @Test
    void theExamplesStart() {
        runner.withUserConfiguration(Examples.class).run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(Books.class).hasSingleBean(WebClient.class);
            assertThat(context.getBeansOfType(RestClient.class)).hasSize(3);
        });
    }

    @Test
    void thePropertiesBind() {
        for (String yaml : blocks("yaml")) {
            runner.withInitializer(context -> {
                        try {
                            new YamlPropertySourceLoader()
                                    .load(
                                            "guide",
                                            new ByteArrayResource(
                                                    yaml.getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                                    .forEach(context.getEnvironment().getPropertySources()::addFirst);
                        } catch (IOException ex) {
                            throw new AssertionError(ex);
                        }
                    })
                    .run(context -> {
                        HttpRetry http = context.getBean(HttpRetry.class);
                        HttpRetry defaults = HttpRetry.builder().build();
                        assertThat(http.statuses()).isEqualTo(defaults.statuses());
                        assertThat(http.methods()).isEqualTo(defaults.methods());
                        assertThat(http.idempotencyKeyHeader()).isEqualTo(defaults.idempotencyKeyHeader());
                        assertThat(http.policy().maxAttempts()).isEqualTo(yaml.contains("backend") ? 4 : 3);
                    });
        }
    }

    interface Books {

        @GetExchange("/books")
        String find();
    }

    @Configuration
    static class Examples {

        @Bean
        RestClient catalogue(RetryClientHttpRequestInterceptor retrying) {
            return RestClient.builder()
                    .baseUrl("https://catalogue.example")
                    .requestInterceptor(retrying.named("catalogue"))
                    .build();
        }

        @Bean
        RestClient orders(HttpRetry http) {
            HttpRetry careful = http.toBuilder()
                    .name("orders")
                    .policy(RetryPolicy.builder()
                            .maxAttempts(2)
                            .delay(Duration.ofMillis(100))
                            .build())
                    .statuses(Set.of(503))
                    .build();
            return RestClient.builder()
                    .requestInterceptor(new RetryClientHttpRequestInterceptor(careful))
                    .build();
        }

        @Bean
        WebClient stock(RetryExchangeFilterFunction retrying) {
            return WebClient.builder()
                    .baseUrl("https://stock.example")
                    .filter(retrying.named("stock"))
                    .build();
        }

        @Bean
        Books books(RestClient catalogue) {
            return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(catalogue))
                    .build()
                    .createClient(Books.class);
        }

        @Bean
        RestClient guarded(RetryClientHttpRequestInterceptor retrying, CircuitBreaker breaker) {
            return RestClient.builder()
                    .requestInterceptor(retrying.named("guarded"))
                    .requestInterceptor((request, body, execution) -> {
                        try {
                            return breaker.executeCallable(() -> execution.execute(request, body));
                        } catch (IOException | RuntimeException ex) {
                            throw ex;
                        } catch (Exception ex) {
                            throw new IllegalStateException(ex);
                        }
                    })
                    .build();
        }

        @Bean
        CircuitBreaker breaker() {
            return CircuitBreaker.of(
                    "guarded",
                    CircuitBreakerConfig.custom()
                            .recordResult(result -> result instanceof ClientHttpResponse response && isDown(response))
                            .build());
        }

        private static boolean isDown(ClientHttpResponse response) {
            try {
                return response.getStatusCode().is5xxServerError();
            } catch (IOException ex) {
                return true;
            }
        }
    }
}
