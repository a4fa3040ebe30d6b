// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.RestClient;

/** A customer of the running shop, who also plays fate. */
final class Shop {

    private static final ParameterizedTypeReference<Map<String, Object>> JSON = new ParameterizedTypeReference<>() {};

    private final RestClient client;

    Shop(int port) {
        client = RestClient.builder()
                .baseUrl("http://localhost:" + port)
                .defaultStatusHandler(status -> true, (request, response) -> {})
                .build();
    }

    Shop whose(String service, String answers) {
        ResponseEntity<Map<String, Object>> set = send(HttpMethod.POST, "/outside/" + service + "?answers=" + answers);
        if (set.getStatusCode().isError()) {
            throw new IllegalArgumentException(String.valueOf(set.getBody()));
        }
        return this;
    }

    ResponseEntity<Map<String, Object>> get(String path) {
        return send(HttpMethod.GET, path);
    }

    ResponseEntity<Map<String, Object>> post(String path) {
        return send(HttpMethod.POST, path);
    }

    /** How often a service did what it was asked to since its answers were set. */
    Object done(String service) {
        return body("/outside/" + service).get("done");
    }

    /** What a service answered since its answers were set. */
    List<?> answered(String service) {
        return (List<?>) body("/outside/" + service).get("answered");
    }

    Map<String, Object> body(String path) {
        ResponseEntity<Map<String, Object>> response = get(path);
        if (response.getBody() == null) {
            throw new IllegalStateException(path + " answers " + response.getStatusCode());
        }
        return response.getBody();
    }

    /** What the meter retryon.retries says, of one method. */
    int retriesOf(String name) {
        return meter("retryon.retries", name);
    }

    /** How many calls of one method wait for their next attempt. */
    int waiting(String name) {
        return meter("retryon.waiting", name);
    }

    private int meter(String meter, String name) {
        List<?> measurements = (List<?>)
                body("/actuator/metrics/" + meter + "?tag=name:" + name).get("measurements");
        return ((Number) ((Map<?, ?>) measurements.get(0)).get("value")).intValue();
    }

    /** The effective settings of a method, as the endpoint shows them. */
    Map<?, ?> settingsOf(String name) {
        List<?> methods = (List<?>) body("/actuator/retryon/" + name).get("methods");
        return (Map<?, ?>) ((Map<?, ?>) methods.get(0)).get("settings");
    }

    /** What an answer tells of its call. */
    static void assertStory(
            ResponseEntity<Map<String, Object>> call, int attempts, List<Integer> waits, String stopReason) {
        assertThat(call.getBody())
                .containsEntry("attempts", attempts)
                .containsEntry("waitedMillis", waits)
                .containsEntry("stopReason", stopReason);
    }

    ResponseEntity<Map<String, Object>> send(HttpMethod method, String path) {
        return client.method(method).uri(path).retrieve().toEntity(JSON);
    }
}
