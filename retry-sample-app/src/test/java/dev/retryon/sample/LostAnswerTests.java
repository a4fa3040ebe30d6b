// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/** A shop that waits for answers, for less time than {@code application.yml} says. None is to be in time here. */
@Tag("slow")
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "spring.http.clients.read-timeout=200ms")
@Timeout(120)
class LostAnswerTests {

    @Test
    void waitsForNoAnswerForEver(@LocalServerPort int port) {
        Map<String, Object> call = new Shop(port)
                .whose("payment", "timeout,timeout")
                .post("/shop/refunds")
                .getBody();

        assertThat(call)
                .containsEntry("error", "ResourceAccessException")
                .containsEntry("attempts", 2)
                .containsEntry("stopReason", "EXHAUSTED");
    }

    @Test
    void retriesAMonoThatGetsNoAnswer(@LocalServerPort int port) {
        Map<String, Object> call = new Shop(port)
                .whose("stock", "timeout,timeout,timeout")
                .get("/shop/deliveries/lamp")
                .getBody();

        assertThat(call)
                .containsEntry("error", "WebClientRequestException")
                .containsEntry("attempts", 3)
                .containsEntry("stopReason", "EXHAUSTED");
    }
}
