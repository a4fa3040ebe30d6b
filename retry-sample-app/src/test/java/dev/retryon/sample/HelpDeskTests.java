// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;

@Tag("slow")
@ShopTest
class HelpDeskTests {

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
                    POST | /shop/payments?amount=abc            | 400 | amount is 'abc', but must be a whole number
                    POST | /shop/payments?amount=-5             | 400 | amount is '-5', but must be 1 or more
                    POST | /shop/payments/patient?attempts=0    | 400 | attempts is '0', but must be 1 or more
                    POST | /shop/reservations?express=maybe     | 400 | express is 'maybe', but must be true or false
                    GET  | /shop/payments                       | 405 | this address does not support GET; use POST
                    GET  | /shop/orders/7                       | 404 | no page exists at '/shop/orders/7'; see the start page at '/'
                    POST | /outside/stock                       | 400 | the parameter 'answers' is missing; add it, for example ?answers=503,503,200
                    POST | /outside/bakery?answers=503          | 400 | no service is named 'bakery'; use one of payment, stock, mail
                    """)
    void tellsWhatWouldBeRight(HttpMethod method, String path, int status, String detail, @LocalServerPort int port) {
        ResponseEntity<Map<String, Object>> answer = new Shop(port).send(method, path);
        assertThat(answer.getStatusCode().value()).isEqualTo(status);
        assertThat(answer.getBody()).containsEntry("detail", detail);
    }

    @ParameterizedTest
    @CsvSource({"303", "ok", "200:", "429:x", "503 200", "''"})
    void tellsWhatAnAnswerCanBe(String script, @LocalServerPort int port) {
        ResponseEntity<Map<String, Object>> answer =
                new Shop(port).send(HttpMethod.POST, "/outside/stock?answers=" + script);
        assertThat(answer.getStatusCode().value()).isEqualTo(400);
        assertThat(answer.getBody().get("detail"))
                .asString()
                .startsWith("'" + script + "' is not a valid answer.")
                .contains("429:1", "timeout");
    }

    @Test
    void leavesAScriptAloneThatIsFollowedByAWrongOne(@LocalServerPort int port) {
        Shop shop = new Shop(port).whose("stock", "503,200");
        shop.send(HttpMethod.POST, "/outside/stock?answers=503,nonsense");
        assertThat(shop.body("/outside/stock")).containsEntry("next", List.of("503", "200"));
    }
}
