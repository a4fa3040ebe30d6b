// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.catalogue;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.retryon.test.RecordedRetries;
import dev.retryon.test.spring.VirtualRetries;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

@SpringBootTest
@VirtualRetries
@ActiveProfiles("catalogue")
class HttpClientRecipeTests {

    private static final AtomicInteger REQUESTS = new AtomicInteger();

    private static HttpServer server;

    @Autowired
    private Catalogue catalogue;

    @Autowired
    private RecordedRetries retries;

    @DynamicPropertySource
    static void startServer(DynamicPropertyRegistry properties) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/books/17", exchange -> {
            byte[] title = "Emma".getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "text/plain");
            if (REQUESTS.incrementAndGet() <= 2) {
                exchange.sendResponseHeaders(503, -1);
            } else {
                exchange.sendResponseHeaders(200, title.length);
                exchange.getResponseBody().write(title);
            }
            exchange.close();
        });
        server.start();
        properties.add(
                "shop.catalogue.url",
                () -> "http://localhost:" + server.getAddress().getPort());
    }

    @AfterAll
    static void stopServer() {
        server.stop(0);
    }

    @Test
    void aClientOfBootsBuilderRetries() {
        assertThat(catalogue.title("17")).isEqualTo("Emma");

        assertThat(REQUESTS).hasValue(3);
        assertThat(retries).of("http").attempted(3).succeeded();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Catalogue.class)
    static class Shop {}
}
