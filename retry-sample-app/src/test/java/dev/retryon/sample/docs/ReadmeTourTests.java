// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.retryon.sample.ShopApplication;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.web.client.RestClient;

/**
 * Runs the commands of the README and of the tour against a shop that was just started, and compares its answers with the
 * page. White space is ignored; {@code …} matches any text.
 */
@Tag("slow")
class ReadmeTourTests {

    private static final Pattern CURL = Pattern.compile("curl (-X (?<method>\\w+) )?'?localhost:8080(?<path>[^' ]*)'?"
            + "( -H 'Content-Type: application/json' -d '(?<body>[^']*)')?");

    private static final String CLOSE = "kill -9 $(cat retry-sample-app/target/shop.pid)";

    private static final String OPEN = "mvn -pl retry-sample-app -am -Dmaven.test.skip spring-boot:run";

    @TempDir
    private Path folder;

    private ConfigurableApplicationContext shop;

    private record Step(String command, String answer) {}

    @BeforeEach
    void open() {
        shop = SpringApplication.run(
                ShopApplication.class,
                "--server.port=0",
                "--outside.hanging-up=true",
                "--spring.http.clients.read-timeout=2m",
                "--retryon.durable.path=" + folder.resolve("shop.db"),
                // Long enough that the shop is closed before the next attempt.
                "--retryon.methods[dev.retryon.sample.InvoiceService#send].delay=2s");
    }

    @AfterEach
    void close() {
        shop.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "docs/tour.md"})
    void showsTheAnswersOfTheShop(String page) {
        List<Step> steps = steps(page);
        assertThat(steps).isNotEmpty();
        for (Step step : steps) {
            if (step.command().equals(CLOSE)) {
                close();
            } else if (step.command().equals(OPEN)) {
                open();
            } else {
                take(step);
            }
        }
    }

    private void take(Step step) {
        Matcher curl = CURL.matcher(step.command());
        assertThat(curl.matches()).as(step.command()).isTrue();
        boolean onlyLooks = curl.group("path").matches("/(outside|actuator)/.*") && curl.group("method") == null;
        if (onlyLooks) {
            // What a worker does is seen a moment later.
            await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertAnswer(step, answer(curl)));
        } else {
            assertAnswer(step, answer(curl));
        }
    }

    private String answer(Matcher curl) {
        String method = curl.group("method") == null ? "GET" : curl.group("method");
        RestClient.RequestBodySpec request = RestClient.builder()
                .defaultStatusHandler(status -> true, (unused, response) -> {})
                .build()
                .method(HttpMethod.valueOf(method))
                .uri(URI.create("http://localhost:" + shop.getEnvironment().getProperty("local.server.port")
                        + curl.group("path")));
        if (curl.group("body") != null) {
            request.contentType(MediaType.APPLICATION_JSON).body(curl.group("body"));
        }
        return String.valueOf(request.retrieve().body(String.class));
    }

    private static void assertAnswer(Step step, String answer) {
        assertThat(dense(answer)).as("%s%nanswers%n%s", step.command(), answer).matches(pattern(step.answer()));
    }

    private static List<Step> steps(String page) {
        List<Step> steps = new ArrayList<>();
        for (Page.Block block : Page.read(page).blocks("console")) {
            for (String part : ("\n" + block.text()).split("\n\\$ ")) {
                if (!part.isBlank()) {
                    String[] lines = part.split("\n", 2);
                    steps.add(new Step(lines[0], lines.length == 1 ? "" : lines[1]));
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
