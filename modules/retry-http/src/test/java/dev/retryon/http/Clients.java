// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import java.net.http.HttpClient;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.netty.resources.ConnectionProvider;

/** Spring's clients that retry, over what they usually connect with. */
final class Clients {

    private Clients() {}

    static Stream<Named<ClientHttpRequestFactory>> blocking() {
        return Stream.of(
                Named.of("JDK", new JdkClientHttpRequestFactory()),
                Named.of("HttpURLConnection", new SimpleClientHttpRequestFactory()));
    }

    static Stream<Named<ClientHttpConnector>> reactive() {
        return Stream.of(
                Named.of("JDK", new JdkClientHttpConnector(HttpClient.newHttpClient())),
                Named.of(
                        "Netty, one connection",
                        new ReactorClientHttpConnector(
                                reactor.netty.http.client.HttpClient.create(ConnectionProvider.create("one", 1)))));
    }

    static RestClient of(ScriptedServer server, ClientHttpRequestFactory factory, HttpTrial trial) {
        return RestClient.builder()
                .baseUrl(server.url())
                .requestFactory(factory)
                .requestInterceptor(new RetryClientHttpRequestInterceptor(trial.http))
                .build();
    }

    static WebClient of(ScriptedServer server, ClientHttpConnector connector, HttpTrial trial) {
        return WebClient.builder()
                .baseUrl(server.url())
                .clientConnector(connector)
                .filter(new RetryExchangeFilterFunction(trial.http))
                .build();
    }
}
