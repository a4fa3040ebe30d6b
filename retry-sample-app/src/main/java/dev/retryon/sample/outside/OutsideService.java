// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample.outside;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** An external service. It answers according to its script, then with 200. */
final class OutsideService implements HttpHandler {

    private final Deque<Answer> script = new ArrayDeque<>();

    private final List<String> answered = new ArrayList<>();

    /** The idempotency keys of processed requests. A repeated request with the same key is not processed again. */
    private final Set<String> done = new HashSet<>();

    /** Requests that get no answer. They stay open until the next script. */
    private final List<HttpExchange> open = new ArrayList<>();

    private final boolean hangingUp;

    /**
     * Creates a service.
     *
     * @param hangingUp whether to close the connection of a request without an answer, instead of letting it time out
     */
    OutsideService(boolean hangingUp) {
        this.hangingUp = hangingUp;
    }

    synchronized void follow(List<Answer> answers) {
        script.clear();
        answered.clear();
        done.clear();
        release();
        script.addAll(answers);
    }

    synchronized OutsideReport report() {
        return new OutsideReport(
                List.copyOf(answered), script.stream().map(Answer::toString).toList(), done.size());
    }

    synchronized void release() {
        open.forEach(HttpExchange::close);
        open.clear();
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        exchange.getRequestBody().readAllBytes();
        Answer answer = take(exchange);
        if (answer.isMissing()) {
            if (hangingUp) {
                exchange.close();
            }
            return;
        }
        byte[] body = ("outside says " + answer.status()).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/plain");
        if (answer.retryAfter() != null) {
            exchange.getResponseHeaders().set("Retry-After", answer.retryAfter());
        }
        exchange.sendResponseHeaders(answer.status(), body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private synchronized Answer take(HttpExchange exchange) {
        Answer answer = script.isEmpty() ? Answer.OK : script.remove();
        answered.add(answer.toString());
        if (answer.meansDone()) {
            String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
            done.add(key == null ? UUID.randomUUID().toString() : key);
        }
        if (answer.isMissing() && !hangingUp) {
            open.add(exchange);
        }
        return answer;
    }
}
