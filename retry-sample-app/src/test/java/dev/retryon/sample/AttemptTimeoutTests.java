// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample;

import static dev.retryon.sample.Shop.assertStory;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.ResponseEntity;
import org.springframework.test.context.TestPropertySource;

/** A shop whose world outside really hangs, for as long as no attempt of a test takes. */
@Tag("slow")
@ShopTest
@TestPropertySource(properties = "outside.hanging-up=false")
class AttemptTimeoutTests {

    @Test
    void endsAttemptsThatHang(@LocalServerPort int port) {
        ResponseEntity<Map<String, Object>> call =
                new Shop(port).whose("stock", "timeout,timeout,timeout").get("/shop/estimates/lamp");
        assertThat(call.getBody()).containsEntry("error", "AttemptTimeoutException");
        assertStory(call, 3, List.of(100, 200), "EXHAUSTED");
    }
}
