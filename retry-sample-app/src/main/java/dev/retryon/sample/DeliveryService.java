// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample;

import dev.retryon.sample.outside.OutsideWorld;
import dev.retryon.spring.RetryOn;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.stereotype.Service;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import org.springframework.web.reactive.function.client.WebClientResponseException.ServiceUnavailable;
import reactor.core.publisher.Mono;

/** Calls the stock service reactively. */
@Service
public class DeliveryService {

    private final WebClient stock;

    DeliveryService(ClientHttpConnector connector, OutsideWorld outside) {
        this.stock = WebClient.builder()
                .clientConnector(connector)
                .baseUrl(outside.url("stock"))
                .build();
    }

    /** Returns a publisher. Nothing runs before a subscription, and each retry subscribes again. */
    @RetryOn({ServiceUnavailable.class, WebClientRequestException.class})
    public Mono<String> next(String item) {
        return stock.get()
                .uri("/deliveries/{item}", item)
                .retrieve()
                .toBodilessEntity()
                .map(found -> item + " is delivered tomorrow");
    }
}
