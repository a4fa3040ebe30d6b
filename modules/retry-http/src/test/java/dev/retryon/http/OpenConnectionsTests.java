// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.RetryEngine;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.util.Timeout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.JettyClientHttpRequestFactory;
import org.springframework.http.client.ReactorClientHttpRequestFactory;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.HttpComponentsClientHttpConnector;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.http.client.reactive.JettyClientHttpConnector;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/** Whether refused responses leave connections open, counted on a real server, with every client that Spring supports. */
@org.junit.jupiter.api.Timeout(20)
@Tag("slow")
class OpenConnectionsTests {

    private static final int CALLS = 4;

    private static final int LONGEST_POOL = 3;

    /** Of the clients that read a response to its end before they close its connection. */
    private static final Duration READ_TIMEOUT = Duration.ofMillis(700);

    /** After these, the JDK's HttpURLConnection waits for the rest of the body by itself, longer than a test may. */
    private static final Set<CountingServer.Refusal> SLOW =
            Set.of(CountingServer.Refusal.SILENT, CountingServer.Refusal.MUTE);

    private final RetryEngine engine = RetryEngine.builder().build();

    private final HttpTrial trial = new HttpTrial(http -> http.engine(engine)
            .policy(HttpTrial.policy().delay(Duration.ofMillis(5)).build()));

    @AfterEach
    void close() {
        engine.close();
    }

    static Stream<Arguments> blockingClients() {
        Map<String, Supplier<ClientHttpRequestFactory>> clients = new LinkedHashMap<>();
        clients.put("JDK", JdkClientHttpRequestFactory::new);
        clients.put("HttpURLConnection", OpenConnectionsTests::simple);
        clients.put("Apache", OpenConnectionsTests::apache);
        clients.put("Jetty", () -> new JettyClientHttpRequestFactory(jettyClient()));
        clients.put("Reactor Netty", ReactorClientHttpRequestFactory::new);
        return withRefusals(clients);
    }

    static Stream<Arguments> reactiveClients() {
        Map<String, Supplier<ClientHttpConnector>> clients = new LinkedHashMap<>();
        clients.put("JDK", () -> new JdkClientHttpConnector(HttpClient.newHttpClient()));
        clients.put("Apache", OpenConnectionsTests::reactiveApache);
        clients.put("Jetty", () -> new JettyClientHttpConnector(jettyClient()));
        clients.put("Reactor Netty", ReactorClientHttpConnector::new);
        return withRefusals(clients);
    }

    private static ClientHttpRequestFactory simple() {
        SimpleClientHttpRequestFactory factory = new SimpleClientHttpRequestFactory();
        factory.setReadTimeout(READ_TIMEOUT);
        return factory;
    }

    private static ClientHttpRequestFactory apache() {
        HttpComponentsClientHttpRequestFactory factory = new HttpComponentsClientHttpRequestFactory(
                HttpClients.custom().disableAutomaticRetries().build());
        factory.setReadTimeout(READ_TIMEOUT);
        return factory;
    }

    private static ClientHttpConnector reactiveApache() {
        RequestConfig timeout = RequestConfig.custom()
                .setResponseTimeout(Timeout.of(READ_TIMEOUT))
                .build();
        return new HttpComponentsClientHttpConnector(HttpAsyncClients.custom()
                .disableAutomaticRetries()
                .setDefaultRequestConfig(timeout)
                .build());
    }

    private static org.eclipse.jetty.client.HttpClient jettyClient() {
        org.eclipse.jetty.client.HttpClient client = new org.eclipse.jetty.client.HttpClient();
        client.setIdleTimeout(2 * READ_TIMEOUT.toMillis()); // also ends a connection that a busy machine opens slowly
        return client;
    }

    private static <C> Stream<Arguments> withRefusals(Map<String, Supplier<C>> clients) {
        return clients.entrySet().stream()
                .flatMap(client -> Arrays.stream(CountingServer.Refusal.values())
                        .filter(refusal -> !client.getKey().equals("HttpURLConnection") || !SLOW.contains(refusal))
                        // Jetty reads an endless body as fast as it can, so that others can't connect meanwhile.
                        .filter(refusal ->
                                !client.getKey().equals("Jetty") || refusal != CountingServer.Refusal.ENDLESS)
                        .map(refusal -> Arguments.of(client.getKey(), refusal, client.getValue())));
    }

    static Stream<Arguments> blocking() {
        // The next attempt waits half a second for a response that is still being read: see HostileServerTests.
        return blockingClients().filter(each -> isCommon(each) && !SLOW.contains(each.get()[1]));
    }

    static Stream<Arguments> reactive() {
        return reactiveClients().filter(each -> isCommon(each) || isEndedByItsClient(each));
    }

    static Stream<Arguments> blockingWithOtherRefusals() {
        return blockingClients().filter(each -> !isCommon(each) || SLOW.contains(each.get()[1]));
    }

    static Stream<Arguments> reactiveWithOtherRefusals() {
        return reactiveClients().filter(each -> !isCommon(each) && !isEndedByItsClient(each));
    }

    /** Jetty's client, like Apache's, closes such a connection when its own timeout expires. */
    private static boolean isEndedByItsClient(Arguments each) {
        return each.get()[0].equals("Jetty") && each.get()[1] == CountingServer.Refusal.SILENT;
    }

    /** Each client with bodies that end, and each refusal with the client of the JDK. */
    private static boolean isCommon(Arguments each) {
        Object refusal = each.get()[1];
        return each.get()[0].equals("JDK")
                || refusal == CountingServer.Refusal.SHORT
                || refusal == CountingServer.Refusal.LONG;
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource
    void blocking(String client, CountingServer.Refusal refusal, Supplier<ClientHttpRequestFactory> factory) {
        try (CountingServer server = new CountingServer(refusal)) {
            RestClient http = RestClient.builder()
                    .baseUrl(server.url())
                    .requestFactory(factory.get())
                    .requestInterceptor(new RetryClientHttpRequestInterceptor(trial.http))
                    .build();
            for (int i = 0; i < CALLS; i++) {
                assertThat(http.get().retrieve().body(String.class)).isEqualTo("ok");
            }
            assertConnectionsOf(server);
        }
    }

    @Tag("endurance")
    @ParameterizedTest(name = "{0} {1}")
    @MethodSource
    void blockingWithOtherRefusals(
            String client, CountingServer.Refusal refusal, Supplier<ClientHttpRequestFactory> factory) {
        blocking(client, refusal, factory);
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource
    void reactive(String client, CountingServer.Refusal refusal, Supplier<ClientHttpConnector> connector) {
        try (CountingServer server = new CountingServer(refusal)) {
            WebClient http = WebClient.builder()
                    .baseUrl(server.url())
                    .clientConnector(connector.get())
                    .filter(new RetryExchangeFilterFunction(trial.http))
                    .build();
            for (int i = 0; i < CALLS; i++) {
                assertThat(http.get().retrieve().bodyToMono(String.class).block(Duration.ofMinutes(1)))
                        .isEqualTo("ok");
            }
            assertConnectionsOf(server);
        }
    }

    @Tag("endurance")
    @ParameterizedTest(name = "{0} {1}")
    @MethodSource
    void reactiveWithOtherRefusals(
            String client, CountingServer.Refusal refusal, Supplier<ClientHttpConnector> connector) {
        reactive(client, refusal, connector);
    }

    /** Each attempt of a call can open one connection, because the one before it might still be read. Later calls reuse them. */
    private static void assertConnectionsOf(CountingServer server) {
        within(Duration.ofSeconds(10), () -> server.open() <= LONGEST_POOL);
        assertThat(server.open()).as("connections that are still open").isLessThanOrEqualTo(LONGEST_POOL);
        assertThat(server.requests()).isEqualTo(3 * CALLS);
    }

    private static void within(Duration longest, BooleanSupplier condition) {
        long end = System.nanoTime() + longest.toNanos();
        while (!condition.getAsBoolean() && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
    }
}
