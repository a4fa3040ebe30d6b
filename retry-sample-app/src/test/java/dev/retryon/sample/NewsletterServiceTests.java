// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample;

import static dev.retryon.sample.Shop.assertStory;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.ResponseEntity;

@Tag("slow")
@ShopTest
class NewsletterServiceTests {

    @Autowired
    private NewsletterService newsletters;

    @Autowired
    private Journal journal;

    private Shop shop;

    @BeforeEach
    void open(@LocalServerPort int port) {
        shop = new Shop(port);
    }

    @Test
    void retriesAFutureOnThreadsOfItsOwn() {
        ResponseEntity<Map<String, Object>> call =
                shop.whose("mail", "503,503,200").post("/shop/newsletters?to=bob@example.com");
        assertThat(call.getStatusCode().value()).isEqualTo(200);
        assertThat(call.getBody()).containsEntry("answer", "newsletter sent to bob@example.com by thread retry-1");
        // 100 ms, then 200 = 100 · 2
        assertStory(call, 3, List.of(100, 200), null);
    }

    @Test
    void beginsOnTheThreadOfTheRequest() {
        ResponseEntity<Map<String, Object>> call = shop.whose("mail", "200").post("/shop/newsletters");
        assertThat(call.getBody().get("answer")).asString().contains("by thread http-nio-");
        assertStory(call, 1, List.of(), null);
    }

    @Test
    void completesWithTheLastError() {
        ResponseEntity<Map<String, Object>> down =
                shop.whose("mail", "503,503,503").post("/shop/newsletters");
        assertThat(down.getStatusCode().value()).isEqualTo(502);
        assertThat(down.getBody()).containsEntry("error", "ServiceUnavailable");
        assertStory(down, 3, List.of(100, 200), "EXHAUSTED");
        ResponseEntity<Map<String, Object>> refused = shop.whose("mail", "422").post("/shop/newsletters");
        assertThat(refused.getBody()).containsEntry("error", "UnprocessableContent");
        assertStory(refused, 1, List.of(), "NOT_RETRYABLE");
    }

    @Test
    void sendsOneAlthoughTheAnswerGotLost() {
        ResponseEntity<Map<String, Object>> call =
                shop.whose("mail", "timeout,200").post("/shop/newsletters");
        assertStory(call, 2, List.of(100), null);
        assertThat(shop.done("mail")).isEqualTo(1);
    }

    /** The server asks them to wait for four minutes. If that held the only thread there is, the last newsletter would never be sent. */
    @Test
    void holdsNoThreadWhileItWaits() throws Exception {
        shop.whose("mail", script("503:240", 5));
        List<CompletableFuture<String>> waiting = IntStream.range(0, 5)
                .mapToObj(i -> newsletters.send("reader" + i + "@example.com"))
                .toList();
        await().atMost(Duration.ofMinutes(1)).until(() -> shop.waiting("NewsletterService.send") == 5);
        shop.whose("mail", "503,200");
        assertThat(newsletters.send("last@example.com").get(1, TimeUnit.MINUTES))
                .isEqualTo("newsletter sent to last@example.com by thread retry-1");
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        waiting.forEach(newsletter -> newsletter.cancel(true));
        await().atMost(Duration.ofMinutes(1)).until(() -> shop.waiting("NewsletterService.send") == 0);
    }

    @Test
    void tellsTheCallsOfManyCallersApart() {
        shop.whose("mail", script("503", 5));
        List<CompletableFuture<CallReport>> calls = IntStream.range(0, 5)
                .mapToObj(i -> journal.tellLater(() -> newsletters.send("reader" + i + "@example.com")))
                .toList();
        int attempts = 0;
        for (CompletableFuture<CallReport> call : calls) {
            CallReport report = call.orTimeout(1, TimeUnit.MINUTES).join();
            assertThat(report.waitedMillis()).hasSize(report.attempts() - 1);
            attempts += report.attempts();
        }
        // Whoever failed, and how often: each attempt is in one report.
        assertThat(shop.answered("mail")).hasSize(attempts);
    }

    private static String script(String answer, int times) {
        return Stream.generate(() -> answer).limit(times).collect(Collectors.joining(","));
    }
}
