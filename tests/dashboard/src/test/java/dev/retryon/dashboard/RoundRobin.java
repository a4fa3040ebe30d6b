// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A load balancer: passes each request to the next of some ports. */
final class RoundRobin implements AutoCloseable {

    /** Headers that belong to a connection, or that the server of the load balancer sets. */
    private static final Set<String> OWN =
            Set.of("connection", "content-length", "date", "keep-alive", "transfer-encoding");

    private final HttpClient client = HttpClient.newHttpClient();

    private final ExecutorService threads = Executors.newCachedThreadPool();

    private final AtomicInteger next = new AtomicInteger();

    private final HttpServer server;

    private final List<Integer> ports;

    RoundRobin(int... ports) throws IOException {
        this.ports = Arrays.stream(ports).boxed().toList();
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::pass);
        server.setExecutor(threads);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    private void pass(HttpExchange exchange) throws IOException {
        int port = ports.get(Math.floorMod(next.getAndIncrement(), ports.size()));
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://localhost:" + port + exchange.getRequestURI()))
                .method(
                        exchange.getRequestMethod(),
                        HttpRequest.BodyPublishers.ofByteArray(
                                exchange.getRequestBody().readAllBytes()));
        for (String header : List.of("Accept", "Content-Type")) {
            String value = exchange.getRequestHeaders().getFirst(header);
            if (value != null) {
                request.header(header, value);
            }
        }
        try (exchange) {
            HttpResponse<byte[]> response = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
            for (Map.Entry<String, List<String>> header :
                    response.headers().map().entrySet()) {
                if (!OWN.contains(header.getKey())) {
                    exchange.getResponseHeaders().put(header.getKey(), header.getValue());
                }
            }
            byte[] body = response.body();
            exchange.sendResponseHeaders(response.statusCode(), body.length == 0 ? -1 : body.length);
            if (body.length > 0) {
                exchange.getResponseBody().write(body);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
