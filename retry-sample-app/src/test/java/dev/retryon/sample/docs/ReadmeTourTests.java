/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.sample.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpMethod;
import org.springframework.web.client.RestClient;

/**
 * Takes the README's tour through a shop that has just been opened, and compares what it answers with what the README
 * shows. White space does not count; {@code …} stands for anything.
 */
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {"spring.application.name=tour", "outside.hanging-up=true", "spring.http.clients.read-timeout=2m"})
class ReadmeTourTests {

    private static final Pattern CURL =
            Pattern.compile("\\$ curl (-X (?<method>\\w+) )?'?localhost:8080(?<path>[^']*)'?");

    private record Step(String command, String answer) {}

    @Test
    void showsWhatIsReallySeen(@LocalServerPort int port) {
        RestClient client = RestClient.builder()
                .defaultStatusHandler(status -> true, (request, response) -> {})
                .build();
        for (Step step : steps()) {
            Matcher curl = CURL.matcher(step.command());
            assertThat(curl.matches()).as(step.command()).isTrue();
            String method = curl.group("method") == null ? "GET" : curl.group("method");
            String answer = client.method(HttpMethod.valueOf(method))
                    .uri(URI.create("http://localhost:" + port + curl.group("path")))
                    .retrieve()
                    .body(String.class);
            assertThat(dense(String.valueOf(answer)))
                    .as("%s%nanswers%n%s", step.command(), answer)
                    .matches(pattern(step.answer()));
        }
    }

    private static List<Step> steps() {
        List<Step> steps = new ArrayList<>();
        for (Page.Block block : Page.read("README.md").blocks("console")) {
            for (String part : ("\n" + block.text()).split("\n(?=\\$ )")) {
                if (!part.isBlank()) {
                    String[] lines = part.split("\n", 2);
                    steps.add(new Step(lines[0], lines[1]));
                }
            }
        }
        return steps;
    }

    private static Pattern pattern(String expected) {
        return Pattern.compile(
                Arrays.stream(dense(expected).split("…", -1))
                        .map(Pattern::quote)
                        .collect(Collectors.joining(".*")),
                Pattern.DOTALL);
    }

    private static String dense(String text) {
        return text.replaceAll("\\s", "");
    }
}
