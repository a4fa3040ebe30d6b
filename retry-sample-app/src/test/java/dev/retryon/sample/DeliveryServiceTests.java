// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample;

import static dev.retryon.sample.Shop.assertStory;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.ResponseEntity;
import reactor.core.publisher.Mono;

@Tag("slow")
@ShopTest
class DeliveryServiceTests {

    @Autowired
    private DeliveryService deliveries;

    private Shop shop;

    @BeforeEach
    void open(@LocalServerPort int port) {
        shop = new Shop(port);
    }

    @Test
    void retriesAMono() {
        ResponseEntity<Map<String, Object>> call =
                shop.whose("stock", "503,503,200").get("/shop/deliveries/lamp");
        assertThat(call.getStatusCode().value()).isEqualTo(200);
        assertThat(call.getBody()).containsEntry("answer", "lamp is delivered tomorrow");
        assertStory(call, 3, List.of(100, 200), null);
    }

    @Test
    void handsTheLastErrorOn() {
        ResponseEntity<Map<String, Object>> down =
                shop.whose("stock", "503,503,503").get("/shop/deliveries/lamp");
        assertThat(down.getStatusCode().value()).isEqualTo(502);
        assertThat(down.getBody()).containsEntry("error", "ServiceUnavailable");
        assertStory(down, 3, List.of(100, 200), "EXHAUSTED");
        ResponseEntity<Map<String, Object>> unknown = shop.whose("stock", "404").get("/shop/deliveries/lamp");
        assertThat(unknown.getBody()).containsEntry("error", "NotFound");
        assertStory(unknown, 1, List.of(), "NOT_RETRYABLE");
    }

    @Test
    void asksOnceForEachSubscriptionAndAttempt() {
        shop.whose("stock", "503,200,503,200");
        Mono<String> next = deliveries.next("lamp");
        assertThat(shop.answered("stock")).isEmpty();
        assertThat(next.block(Duration.ofMinutes(1))).isEqualTo("lamp is delivered tomorrow");
        assertThat(shop.answered("stock")).isEqualTo(List.of("503", "200"));
        assertThat(next.block(Duration.ofMinutes(1))).isEqualTo("lamp is delivered tomorrow");
        assertThat(shop.answered("stock")).isEqualTo(List.of("503", "200", "503", "200"));
    }
}
