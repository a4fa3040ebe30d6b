// SPDX-License-Identifier: Apache-2.0
package dev.retryon.jersey;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.jayway.jsonpath.JsonPath;
import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.glassfish.jersey.server.ResourceConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.util.ClassUtils;

/** The endpoints and the page of an application whose actuator is served by Jersey, asked over HTTP. */
class EndpointsOverJerseyTests {

    private static final Pattern FILE = Pattern.compile("(?:src|href)=\"([^\"#]+)\"");

    @TempDir
    private static Path folder;

    private final HttpClient client = HttpClient.newHttpClient();

    /** The application of all tests that need no other settings. Each test reverts its changes. */
    private static ConfigurableApplicationContext common;

    private ConfigurableApplicationContext context = common;

    @BeforeAll
    static void startCommon() {
        common = run();
    }

    @AfterAll
    static void stopCommon() {
        common.close();
    }

    @AfterEach
    void stop() {
        if (context != common) {
            context.close();
        }
    }

    @Test
    void nothingButJerseyCanServeThem() {
        assertThat(ClassUtils.isPresent("org.springframework.web.servlet.DispatcherServlet", null))
                .isFalse();
        assertThat(ClassUtils.isPresent("org.springframework.web.reactive.DispatcherHandler", null))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "--management.server.port=0",
                "--spring.jersey.type=filter --server.servlet.register-default-servlet=true",
                "--spring.jersey.application-path=/api",
                "--management.endpoints.web.base-path=/ops"
            })
    void thePageAndItsFilesAreServedUnderAStrictPolicy(String where) {
        if (!where.isEmpty()) {
            start(where.split(" "));
        }
        String base = (where.contains("/api") ? "/api" : "") + (where.contains("/ops") ? "/ops/" : "/actuator/");

        HttpResponse<String> page = get(base + "retryondashboard");

        assertThat(page.statusCode()).as(page.body()).isEqualTo(200);
        assertThat(header(page, "Content-Type")).isEqualToIgnoringCase("text/html;charset=UTF-8");
        assertThat(header(page, "Cache-Control")).isEqualTo("no-cache");
        assertThat(header(page, "Content-Security-Policy")).contains("default-src 'none'", "frame-ancestors 'none'");
        assertThat(header(page, "X-Content-Type-Options")).isEqualTo("nosniff");
        List<String> files =
                FILE.matcher(page.body()).results().map(found -> found.group(1)).toList();
        assertThat(files).hasSizeGreaterThan(10);
        for (String file : files) {
            HttpResponse<String> asset = get(base + file);
            assertThat(asset.statusCode()).as(file).isEqualTo(200);
            assertThat(asset.body()).as(file).isNotEmpty();
            assertThat(header(asset, "Cache-Control")).as(file).contains("immutable");
            assertThat(header(asset, "Content-Security-Policy")).as(file).contains("default-src 'none'");
            assertThat(header(asset, "X-Content-Type-Options")).as(file).isEqualTo("nosniff");
            assertThat(header(asset, "Content-Type"))
                    .as(file)
                    .startsWithIgnoringCase(
                            file.endsWith(".js")
                                    ? "text/javascript"
                                    : file.endsWith(".css") ? "text/css" : "image/svg+xml");
        }
        assertThat(get(base + files.get(0).replaceAll("[^/]*$", "unknown.js")).statusCode())
                .isEqualTo(404);
    }

    @Test
    void theyShowWhatIsRetriedAndHowItWent() {
        fail();
        int before = JsonPath.<Integer>read(get("/actuator/retryon/Shop.buy").body(), "$.calls.failure.exhausted");
        fail();

        String all = get("/actuator/retryon").body();
        assertThat(JsonPath.<List<String>>read(all, "$.retries[*].name")).containsExactly("Shop.buy");
        String one = get("/actuator/retryon/Shop.buy").body();
        assertThat(JsonPath.<Integer>read(one, "$.methods[0].settings.maxAttempts.value"))
                .isEqualTo(2);
        assertThat(JsonPath.<String>read(one, "$.methods[0].schedule[0].longest"))
                .isEqualTo("PT0.001S");
        assertThat(JsonPath.<Integer>read(one, "$.calls.failure.exhausted")).isEqualTo(before + 1);
        String summary = get("/actuator/retryon?summary=true").body();
        assertThat(JsonPath.<String>read(summary, "$.interval")).isEqualTo("PT10S");
        assertThat(Instant.parse(JsonPath.read(summary, "$.names[0].lastFailure.at")))
                .isBetween(Instant.now().minusSeconds(600), Instant.now());
        String events = get("/actuator/retryonevents?name=Shop.buy&limit=1").body();
        assertThat(JsonPath.<List<String>>read(events, "$.events[*].reason")).containsExactly("exhausted");
    }

    @Test
    void settingsAreChangedAndTakenBack() {
        HttpResponse<String> changed = send(
                "POST", "/actuator/retryon/Shop.buy", "{\"maxAttempts\": 1, \"retryable\": false, \"for\": \"30m\"}");

        assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
        assertThat(JsonPath.<String>read(changed.body(), "$.settings.maxAttempts"))
                .isEqualTo("1");
        assertThat(Duration.between(Instant.now(), Instant.parse(JsonPath.read(changed.body(), "$.until"))))
                .isBetween(Duration.ofMinutes(20), Duration.ofMinutes(30));
        assertThat(JsonPath.<Integer>read(
                        get("/actuator/retryon/Shop.buy").body(), "$.methods[0].settings.maxAttempts.value"))
                .isEqualTo(1);
        assertThat(send("POST", "/actuator/retryon/Shop.buy", "{\"maxAttempts\": null}")
                        .body())
                .doesNotContain("maxAttempts");
        assertThat(send("DELETE", "/actuator/retryon/Shop.buy", "").statusCode())
                .isEqualTo(204);
        assertThat(JsonPath.<Integer>read(
                        get("/actuator/retryon/Shop.buy").body(), "$.methods[0].settings.maxAttempts.value"))
                .isEqualTo(2);
        assertThat(send("POST", "/actuator/retryon", "{\"retryable\": false}").statusCode())
                .isEqualTo(200);
        assertThat(send("DELETE", "/actuator/retryon?scope=node", "").statusCode())
                .isEqualTo(204);
    }

    @Test
    void whatIsWrongIsAnsweredInWords() {
        HttpResponse<String> unknown = get("/actuator/retryon/Shop.bye");
        assertThat(unknown.statusCode()).isEqualTo(404);
        assertThat(unknown.body()).contains("Shop.buy");
        HttpResponse<String> wrong = send("POST", "/actuator/retryon/Shop.buy", "{\"maxAttempts\": -1}");
        assertThat(wrong.statusCode()).isEqualTo(400);
        assertThat(JsonPath.<String>read(wrong.body(), "$.problem")).contains("maxAttempts");
        HttpResponse<String> key = send("POST", "/actuator/retryon/Shop.buy", "{\"maxAttemps\": 1}");
        assertThat(key.statusCode()).isEqualTo(400);
        assertThat(JsonPath.<String>read(key.body(), "$.problem")).contains("maxAttemps");
        HttpResponse<String> lasting = send("POST", "/actuator/retryon", "{\"maxAttempts\": 1, \"for\": \"soon\"}");
        assertThat(lasting.statusCode()).isEqualTo(400);
        assertThat(JsonPath.<String>read(lasting.body(), "$.problem")).contains("for is 'soon'");
        assertThat(send("DELETE", "/actuator/retryon/Shop.buy", "").statusCode())
                .isEqualTo(404);
    }

    @Test
    void deadLettersAreListedAndDiscarded() {
        List<String> before =
                JsonPath.read(get("/actuator/retryoncalls?method=Shop.buy").body(), "$.items[*].id");
        fail();

        String letters = get("/actuator/retryoncalls?method=Shop.buy").body();
        List<String> ids = new ArrayList<>(JsonPath.<List<String>>read(letters, "$.items[*].id"));
        ids.removeAll(before);
        assertThat(ids).as(letters).hasSize(1);
        assertThat(get("/actuator/retryoncalls/" + ids.get(0)).statusCode()).isEqualTo(200);
        HttpResponse<String> none = get("/actuator/retryoncalls/nobody");
        assertThat(none.statusCode()).isEqualTo(404);
        assertThat(none.body()).contains("nobody");
        assertThat(send(
                                "POST",
                                "/actuator/retryoncalls/" + ids.get(0),
                                "{\"action\": \"discard\", \"reason\": \"test\"}")
                        .statusCode())
                .isEqualTo(200);
        HttpResponse<String> wrong = get("/actuator/retryoncalls?from=yesterday");
        assertThat(wrong.statusCode()).isEqualTo(400);
        assertThat(JsonPath.<String>read(wrong.body(), "$.problem")).contains("yesterday");
    }

    @Test
    void nothingIsChangedUnlessTheOperatorAllowsIt() {
        start("--management.endpoint.retryon.access=read-only");

        assertThat(send("POST", "/actuator/retryon", "{\"retryable\": false}").statusCode())
                .isEqualTo(405);
        assertThat(get("/actuator/retryondashboard").body()).contains("data-retryon-access=\"read\"");
    }

    private void start(String... arguments) {
        context = run(arguments);
    }

    private static ConfigurableApplicationContext run(String... arguments) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setDefaultProperties(Map.of(
                "spring.autoconfigure.exclude",
                "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
                "retryon.durable.store",
                "embedded",
                "retryon.durable.path",
                folder.resolve(UUID.randomUUID() + ".db").toString(),
                "server.port",
                "0",
                "management.endpoints.web.exposure.include",
                "*",
                "management.endpoint.retryon.access",
                "unrestricted",
                "management.endpoint.retryoncalls.access",
                "unrestricted",
                "spring.main.banner-mode",
                "off"));
        return application.run(arguments);
    }

    private void fail() {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> context.getBean(Shop.class).buy());
    }

    private HttpResponse<String> get(String path) {
        return send("GET", path, "");
    }

    private HttpResponse<String> send(String method, String path, String body) {
        String port = context.getEnvironment()
                .getProperty("local.management.port", context.getEnvironment().getProperty("local.server.port", ""));
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .header("Content-Type", "application/json")
                .timeout(Duration.ofMinutes(1))
                .build();
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        } catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static String header(HttpResponse<String> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    static class Shop {

        @RetryOn(value = IOException.class, maxAttempts = 2, delay = "1ms", jitter = "none")
        @Durable(ON_EXHAUSTION)
        public void buy() throws IOException {
            throw new IOException("down");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Shop.class)
    static class Application {

        @Bean
        ResourceConfig resources() {
            return new ResourceConfig();
        }
    }
}
