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
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;

@Tag("slow")
@ShopTest
class ShopTests {

    private Shop shop;

    @BeforeEach
    void open(@LocalServerPort int port) {
        shop = new Shop(port);
    }

    @Test
    void retriesWhatThePlainAnnotationLists() {
        ResponseEntity<Map<String, Object>> call =
                shop.whose("stock", "503,503,200").get("/shop/stock/lamp");
        assertThat(call.getStatusCode().value()).isEqualTo(200);
        assertThat(call.getBody()).containsEntry("answer", "lamp is in stock");
        // 100 ms, then 200 = 100 · 2
        assertStory(call, 3, List.of(100, 200), null);
    }

    @Test
    void handsTheLastErrorOn() {
        ResponseEntity<Map<String, Object>> call =
                shop.whose("stock", "503,503,503").get("/shop/stock/lamp");
        assertThat(call.getStatusCode().value()).isEqualTo(502);
        assertThat(call.getBody()).containsEntry("error", "ServiceUnavailable");
        assertStory(call, 3, List.of(100, 200), "EXHAUSTED");
    }

    @Test
    void doesNotRetryWhatIsNotListed() {
        ResponseEntity<Map<String, Object>> call = shop.whose("stock", "404").get("/shop/stock/lamp");
        assertThat(call.getStatusCode().value()).isEqualTo(502);
        assertStory(call, 1, List.of(), "NOT_RETRYABLE");
    }

    @Test
    void followsANamedPolicy() {
        ResponseEntity<Map<String, Object>> call =
                shop.whose("payment", "503,503,503,200").post("/shop/payments?amount=7");
        assertThat(call.getBody()).containsEntry("answer", "7 charged");
        // 300 is the cap of 400 = 100 · 2 · 2
        assertStory(call, 4, List.of(100, 200, 300), null);
    }

    @Test
    void chargesOnceAlthoughTheAnswerGotLost() {
        ResponseEntity<Map<String, Object>> call =
                shop.whose("payment", "timeout,200").post("/shop/payments");
        assertStory(call, 2, List.of(100), null);
        assertThat(shop.done("payment")).isEqualTo(1);
    }

    @Test
    void mergesBaseClassAndMethod() {
        ResponseEntity<Map<String, Object>> call =
                shop.whose("mail", "503,timeout,200").post("/shop/receipts");
        assertThat(call.getStatusCode().value()).isEqualTo(200);
        // The timeout is the base class's exception, as is the fixed backoff; 3 attempts are the method's.
        assertStory(call, 3, List.of(100, 100), null);
    }

    @Test
    void recoversWhenAttemptsAreUsedUp() {
        ResponseEntity<Map<String, Object>> call =
                shop.whose("mail", "503,503,503").post("/shop/receipts?to=bob@example.com");
        assertThat(call.getStatusCode().value()).isEqualTo(200);
        assertThat(call.getBody()).containsEntry("answer", "receipt for bob@example.com postponed after 3 attempts");
        assertStory(call, 3, List.of(100, 100), "EXHAUSTED");
    }

    @Test
    void doesNotRecoverWhatIsNotRetried() {
        ResponseEntity<Map<String, Object>> call = shop.whose("mail", "422").post("/shop/receipts");
        assertThat(call.getStatusCode().value()).isEqualTo(502);
        assertStory(call, 1, List.of(), "NOT_RETRYABLE");
    }

    @Test
    void asksTheBeanWhetherToRetry() {
        ResponseEntity<Map<String, Object>> passing =
                shop.whose("stock", "503,429,200").post("/shop/reservations");
        assertStory(passing, 3, List.of(100, 200), null);
        ResponseEntity<Map<String, Object>> lasting =
                shop.whose("stock", "503,409").post("/shop/reservations");
        assertStory(lasting, 2, List.of(100), "REJECTED");
    }

    @Test
    void closesTheGateForAnArgument() {
        ResponseEntity<Map<String, Object>> call =
                shop.whose("stock", "503,200").post("/shop/reservations?express=true");
        assertStory(call, 1, List.of(), "REJECTED");
    }

    @Test
    void stopsWhenTheBudgetIsUsedUp() {
        ResponseEntity<Map<String, Object>> call =
                shop.whose("stock", "503,".repeat(25) + "503").get("/shop/search/lamp");
        assertThat(call.getStatusCode().value()).isEqualTo(502);
        assertThat(call.getBody()).containsEntry("stopReason", "BUDGET");
    }

    @Test
    void overridesOneCall() {
        ResponseEntity<Map<String, Object>> patient =
                shop.whose("payment", "503,503,503,503,200").post("/shop/payments/patient?attempts=5");
        assertStory(patient, 5, List.of(100, 100, 100, 100), null);
        ResponseEntity<Map<String, Object>> usual =
                shop.whose("payment", "503,503,503,503,200").post("/shop/payments");
        assertStory(usual, 4, List.of(100, 200, 300), "EXHAUSTED");
    }

    @Test
    void letsTheOperatorHaveTheLastWord() {
        ResponseEntity<Map<String, Object>> call =
                shop.whose("payment", "503,503,200").post("/shop/refunds");
        assertThat(call.getStatusCode().value()).isEqualTo(502);
        assertStory(call, 2, List.of(100), "EXHAUSTED");
    }

    @Test
    void retriesAReturnedValue() {
        ResponseEntity<Map<String, Object>> call =
                shop.whose("payment", "202,202,200").get("/shop/transfers/7");
        assertThat(call.getBody()).containsEntry("answer", "settled");
        assertStory(call, 3, List.of(100, 100), null);
        ResponseEntity<Map<String, Object>> pending =
                shop.whose("payment", "202,202,202,202,202,202,202").get("/shop/transfers/7");
        assertThat(pending.getBody()).containsEntry("answer", "pending");
        assertStory(pending, 6, List.of(100, 100, 100, 100, 100), "EXHAUSTED");
    }

    @Test
    void countsExactlyTheRetriesMade() {
        int before = shop.retriesOf("StockService.available");
        shop.whose("stock", "503,503,200").get("/shop/stock/lamp");
        shop.whose("stock", "200").get("/shop/stock/lamp");
        shop.whose("stock", "404").get("/shop/stock/lamp");
        shop.whose("stock", "503,503,503").get("/shop/stock/lamp");
        // 4 = 2 + 0 + 0 + 2
        assertThat(shop.retriesOf("StockService.available") - before).isEqualTo(4);
    }

    @Test
    void showsWhoSaidWhat() {
        Map<?, ?> mail = shop.settingsOf("MailService.sendReceipt");
        String base = "@RetryOn on dev.retryon.sample.OutsideClient";
        String own = "@RetryOn on dev.retryon.sample.MailService.sendReceipt";
        assertThat(mail.get("exceptions"))
                .isEqualTo(setting(
                        List.of(ResourceAccessException.class.getName(), HttpServerErrorException.class.getName()),
                        base,
                        own));
        assertThat(mail.get("maxAttempts")).isEqualTo(setting(3, own));
        assertThat(mail.get("backoff")).isEqualTo(setting("fixed", base));
        assertThat(mail.get("delay")).isEqualTo(setting("100ms", "retryon.defaults"));
        assertThat(mail.get("maxDelay")).isEqualTo(setting("5m", "default"));
        assertThat(mail.get("recover")).isEqualTo(setting("postpone", own));
        Map<?, ?> refund = shop.settingsOf("PaymentService.refund");
        assertThat(refund.get("maxAttempts"))
                .isEqualTo(setting(2, "retryon.methods[dev.retryon.sample.PaymentService#refund]"));
        assertThat(refund.get("maxDelay")).isEqualTo(setting("300ms", "retryon.policies.payments"));
    }

    @Test
    void listsWhatIsRetriedAndWhatHappened() {
        shop.whose("payment", "503,200").post("/shop/payments");
        assertThat((List<?>) shop.body("/actuator/retryon").get("retries"))
                .extracting("name")
                .contains(
                        "DeliveryService.next",
                        "InvoiceService.send",
                        "MailService.sendReceipt",
                        "NewsletterService.send",
                        "PaymentService.charge",
                        "PaymentService.refund",
                        "PaymentService.transfer",
                        "StockService.available",
                        "StockService.reserve");
        assertThat((List<?>) shop.body("/actuator/retryonevents?limit=2&name=PaymentService.charge")
                        .get("events"))
                .extracting("type")
                .containsExactly("success_after_retry", "retry");
    }

    private static Map<String, Object> setting(Object value, String... sources) {
        return Map.of("value", value, "sources", List.of(sources));
    }

    @Test
    void takesAWholeOrder() {
        ResponseEntity<Map<String, Object>> order = shop.whose("stock", "503")
                .whose("payment", "503")
                .whose("mail", "503")
                .post("/shop/orders");
        assertThat(order.getStatusCode().value()).isEqualTo(200);
        assertThat(order.getBody())
                .containsEntry("stock", "lamp is reserved")
                .containsEntry("payment", "20 charged")
                .containsEntry("mail", "receipt sent to ann@example.com");
    }
}
