// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.retryon.StopReason;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCalls;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.ResponseEntity;

@Tag("slow")
@ShopTest
class InvoiceServiceTests {

    @Autowired
    private StoredCalls calls;

    private Shop shop;

    @BeforeEach
    void open(@LocalServerPort int port) {
        shop = new Shop(port);
    }

    @Test
    void storesWhatTheMailServerDoesNotTakeAndSendsItLater() {
        ResponseEntity<Map<String, Object>> call =
                shop.whose("mail", "503,503,200").post("/shop/invoices?order=17");
        assertThat(call.getBody()).containsEntry("answer", "invoice for order 17 is taken care of");
        Shop.assertStory(call, 1, List.of(), null);
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(shop.done("mail")).isEqualTo(1));
        assertThat(shop.answered("mail")).isEqualTo(List.of("503", "503", "200"));
    }

    @Test
    void keepsWhatTheMailServerRefusesUntilItIsSentAgain() {
        ResponseEntity<Map<String, Object>> call = shop.whose("mail", "422,200").post("/shop/invoices?order=18");
        assertThat(call.getStatusCode().value()).isEqualTo(502);
        Shop.assertStory(call, 1, List.of(), "NOT_RETRYABLE");
        String id = calls.list(StoredCalls.Filter.of(StoredCall.State.DEAD), null, 10)
                .calls()
                .get(0)
                .id();
        StoredCall letter = calls.find(id).orElseThrow();
        assertThat(letter.name()).isEqualTo("InvoiceService.send");
        assertThat(letter.arguments()).isEqualTo("{\"order\":\"18\"}");
        assertThat(letter.reason()).isEqualTo(StopReason.NOT_RETRYABLE);

        assertThat(calls.by("ann").resend(letter.id())).isTrue();

        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(
                        () -> assertThat(calls.find(letter.id()).orElseThrow().state())
                                .isEqualTo(StoredCall.State.RESOLVED));
        assertThat(shop.done("mail")).isEqualTo(1);
    }
}
