// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A real HTTP server that answers as told, one request after the other; then with 200 and "ok". */
final class ScriptedServer implements AutoCloseable {

    private final ExecutorService threads = Executors.newCachedThreadPool();

    private final Queue<Answer> script = new ConcurrentLinkedQueue<>();

    private final List<Request> requests = new CopyOnWriteArrayList<>();

    private final HttpServer server;

    ScriptedServer(Answer... answers) {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        script.addAll(List.of(answers));
        server.createContext("/", this::answer);
        server.setExecutor(threads);
        server.start();
    }

    /** What a server does with a request. */
    @FunctionalInterface
    interface Answer {

        void to(HttpExchange exchange) throws Exception;
    }

    /** A request that arrived; the port tells connections apart. */
    record Request(String method, String body, Map<String, List<String>> headers, int port) {
        @Nullable String header(String name) {
            return headers.entrySet().stream()
                    .filter(header -> header.getKey().equalsIgnoreCase(name))
                    .map(header -> header.getValue().get(0))
                    .findFirst()
                    .orElse(null);
        }
    }

    static Answer status(int status, String... headersAndValues) {
        return answer(status, "status " + status, headersAndValues);
    }

    static Answer answer(int status, String body, String... headersAndValues) {
        return exchange -> {
            for (int i = 0; i < headersAndValues.length; i += 2) {
                exchange.getResponseHeaders().add(headersAndValues[i], headersAndValues[i + 1]);
            }
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        };
    }

    /** Closes the connection without an answer. */
    static Answer hangUp() {
        return HttpExchange::close;
    }

    /** Closes the connection in the middle of the body. */
    static Answer breakOff(int status) {
        return exchange -> {
            exchange.sendResponseHeaders(status, 1_000);
            exchange.getResponseBody().write("half".getBytes(StandardCharsets.UTF_8));
            exchange.getResponseBody().flush();
            exchange.close();
        };
    }

    /** Sends a body for as long as somebody reads it. */
    static Answer endless(int status) {
        return exchange -> {
            exchange.sendResponseHeaders(status, 0);
            byte[] bytes = new byte[16 * 1024];
            while (true) {
                exchange.getResponseBody().write(bytes);
            }
        };
    }

    /** Sends the beginning of a body, and the rest never. The connection stays open. */
    static Answer silent(int status) {
        return exchange -> {
            exchange.sendResponseHeaders(status, 1_000);
            exchange.getResponseBody().write("half".getBytes(StandardCharsets.UTF_8));
            exchange.getResponseBody().flush();
            new CountDownLatch(1).await(); // until the server is closed
        };
    }

    /** Sends a body byte by byte, for as long as somebody reads it. */
    static Answer trickling(int status) {
        return exchange -> {
            exchange.sendResponseHeaders(status, 0);
            while (!new CountDownLatch(1).await(5, TimeUnit.MILLISECONDS)) {
                exchange.getResponseBody().write('x');
                exchange.getResponseBody().flush();
            }
        };
    }

    String url() {
        return "http://" + server.getAddress().getHostString() + ":"
                + server.getAddress().getPort();
    }

    List<Request> requests() {
        return requests;
    }

    private void answer(HttpExchange exchange) {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            requests.add(new Request(
                    exchange.getRequestMethod(),
                    body,
                    Map.copyOf(exchange.getRequestHeaders()),
                    exchange.getRemoteAddress().getPort()));
            Answer next = script.poll();
            (next != null ? next : answer(200, "ok")).to(exchange);
        } catch (Exception ex) {
            // The client has gone, which is what some tests are about.
            exchange.close();
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
