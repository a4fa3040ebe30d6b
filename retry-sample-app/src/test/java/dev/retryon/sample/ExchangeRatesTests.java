// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample;

import static dev.retryon.sample.Shop.assertStory;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.ResponseEntity;

@Tag("slow")
@ShopTest
class ExchangeRatesTests {

    private Shop shop;

    @BeforeEach
    void open(@LocalServerPort int port) {
        shop = new Shop(port);
    }

    @Test
    void waitsAsLongAsTheServerAsks() {
        ResponseEntity<Map<String, Object>> call =
                shop.whose("payment", "429:1,503,200").get("/shop/rates/EUR");
        assertThat(call.getStatusCode().value()).isEqualTo(200);
        assertThat(call.getBody()).containsEntry("answer", "the rate of EUR is known");
        // 1000 = what the server asks; 200 = 100 · 2, the client's own second wait
        assertStory(call, 3, List.of(1000, 200), null);
    }

    @Test
    void doesNotWaitTooLong() {
        ResponseEntity<Map<String, Object>> call =
                shop.whose("payment", "429:60").get("/shop/rates/EUR");
        assertThat(call.getStatusCode().value()).isEqualTo(502);
        assertThat(call.getBody()).containsEntry("error", "TooManyRequests");
        assertStory(call, 1, List.of(), "DELAY_TOO_LONG");
    }

    @Test
    void handsTheLastResponseOn() {
        ResponseEntity<Map<String, Object>> down =
                shop.whose("payment", "503,503,503,503").get("/shop/rates/EUR");
        assertThat(down.getBody()).containsEntry("error", "ServiceUnavailable");
        assertStory(down, 4, List.of(100, 200, 400), "EXHAUSTED");
        ResponseEntity<Map<String, Object>> unknown =
                shop.whose("payment", "404").get("/shop/rates/XYZ");
        assertThat(unknown.getBody()).containsEntry("error", "NotFound");
        assertStory(unknown, 1, List.of(), null);
    }

    @Test
    void countsItsRetriesUnderItsName() {
        shop.whose("payment", "503,503,200").get("/shop/rates/EUR");
        int before = shop.retriesOf("http rates");
        shop.whose("payment", "503,503,200").get("/shop/rates/EUR");
        assertThat(shop.retriesOf("http rates") - before).isEqualTo(2);
    }
}
