// SPDX-License-Identifier: Apache-2.0
package com.acme.orders;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What a service can depend on that fails at times. */
public interface Gateway {

    String place(String order) throws IOException;

    CompletableFuture<String> placeLater(String order);

    Mono<String> find(String order, int attempt);

    Flux<String> findAll();
}
