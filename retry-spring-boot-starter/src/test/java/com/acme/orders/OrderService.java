// SPDX-License-Identifier: Apache-2.0
package com.acme.orders;

import dev.retryon.RetryContext;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Service;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The service of the guides to asynchronous methods and to tests. */
@Service
public class OrderService {

    private final Gateway gateway;

    public OrderService(Gateway gateway) {
        this.gateway = gateway;
    }

    @RetryOn(value = IOException.class, jitter = "none")
    public String place(String order) throws IOException {
        return gateway.place(order);
    }

    @RetryOn(value = IOException.class, attemptTimeout = "2s", timeout = "10s")
    public CompletableFuture<String> placeLater(String order) {
        return gateway.placeLater(order);
    }

    @Async
    @RetryOn(IOException.class)
    public CompletableFuture<String> placeOnAThread(String order) throws IOException {
        return CompletableFuture.completedFuture(gateway.place(order));
    }

    @RetryOn(IOException.class)
    public Mono<String> find(String order) {
        return Mono.deferContextual(view -> {
            int attempt = view.get(RetryContext.class).attempt();
            return gateway.find(order, attempt);
        });
    }

    @RetryOn(IOException.class)
    public Flux<String> findAll() {
        return gateway.findAll();
    }
}
