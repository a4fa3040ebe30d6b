// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.RestClient;

/** Asks the endpoints of a server on this machine. */
public final class ActuatorRequest {

    private ActuatorRequest() {}

    /** What it answers, in JSON, to a user, to nobody in particular if the name is empty. */
    public static String body(int port, String path, String user) {
        ResponseEntity<byte[]> response = response(port, path, user);
        assertThat(response.getStatusCode().value()).isEqualTo(200);
        return new String(response.getBody(), StandardCharsets.UTF_8);
    }

    /** The same with the status, which can be 404. */
    public static ResponseEntity<byte[]> response(int port, String path, String user) {
        return RestClient.create("http://localhost:" + port)
                .get()
                .uri(path)
                .headers(headers -> {
                    if (!user.isEmpty()) {
                        headers.setBasicAuth(user, "password");
                    }
                    headers.set(HttpHeaders.ACCEPT, "application/json");
                })
                .retrieve()
                .onStatus(status -> status.value() == 404, (request, response) -> {})
                .toEntity(byte[].class);
    }

    /** Sends JSON, nothing if it is empty, and gives back whatever is answered. */
    public static ResponseEntity<byte[]> send(int port, HttpMethod method, String path, String body, String user) {
        RestClient.RequestBodySpec request = RestClient.create()
                .method(method)
                .uri(URI.create("http://localhost:" + port + path))
                .accept(MediaType.APPLICATION_JSON)
                .headers(headers -> {
                    if (!user.isEmpty()) {
                        headers.setBasicAuth(user, "password");
                    }
                });
        if (!body.isEmpty()) {
            request = request.contentType(MediaType.APPLICATION_JSON).body(body);
        }
        return request.retrieve()
                .onStatus(status -> status.isError(), (sent, response) -> {})
                .toEntity(byte[].class);
    }

    public static String text(ResponseEntity<byte[]> response) {
        return response.getBody() == null ? "" : new String(response.getBody(), StandardCharsets.UTF_8);
    }
}
