// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.letter.Letters;
import dev.retryon.spring.internal.actuate.ActuatorRequest;
import dev.retryon.spring.internal.actuate.OperatorAccess;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;

/** What is answered about calls that are kept, over HTTP, when their database is away or there is none. */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
class StoreAwayEndpointTests {

    @TempDir
    private Path folder;

    private ConfigurableApplicationContext context;

    @AfterEach
    void stop() {
        if (context != null) {
            context.close();
        }
    }

    @Test
    void aDatabaseThatHasGoneIsAnsweredInWords() {
        startWithFile();
        answered(HttpMethod.GET, "retryoncalls", "", 200);

        context.getBean("retryOnDataSource", HikariDataSource.class).close();

        everythingIsAnsweredWith("did not respond");
    }

    @Test
    void aDatabaseThatNeverWasThereIsAnsweredInWords() {
        startWithFile();
        context.getBean("retryOnDataSource", HikariDataSource.class).close();

        everythingIsAnsweredWith("did not respond");
    }

    @Test
    void statementsOfAStoreThatFailsAreLoggedAndNotShown(CapturedOutput output) {
        startWithFile();
        JdbcTemplate jdbc = new JdbcTemplate(context.getBean("retryOnDataSource", HikariDataSource.class));
        answered(HttpMethod.GET, "retryoncalls", "", 200);
        CallStore store = context.getBean(CallStore.class);
        for (int i = 0; i < 3; i++) {
            store.put(Letters.letter("id " + i, "com.acme.Mails#send()", "[]", Instant.EPOCH));
        }
        String slowly = "{\"action\": \"discard\", \"maxPerSecond\": 1, \"confirm\": true}";
        answered(HttpMethod.POST, "retryoncalls", slowly, 202);

        jdbc.execute("alter table retryon_call rename to elsewhere");
        for (String path : List.of("retryoncalls?state=dead", "retryoncalls?state=waiting", "retryoncalls/4711")) {
            assertThat(answered(HttpMethod.GET, path, "", 503))
                    .contains("did not respond", "see the application log")
                    .doesNotContainIgnoringCase("select ")
                    .doesNotContain("retryon_call");
        }
        await().atMost(Duration.ofSeconds(30)).until(() -> output.getOut().contains("a bulk task is interrupted"));
        jdbc.execute("alter table elsewhere rename to retryon_call");

        StoredCalls calls = context.getBean(StoredCalls.class);
        await().atMost(Duration.ofSeconds(30))
                .until(() -> calls.task().orElseThrow().state() == StoredCalls.Task.State.DONE);
        assertThat(output).contains("no such table: retryon_call");
        assertThat(answered(HttpMethod.GET, "retryoncalls", "", 200))
                .contains("\"done\"")
                .doesNotContainIgnoringCase("select ")
                .doesNotContain("no such table");
    }

    @Test
    void thatThereIsNoDatabaseIsAnsweredInWords() {
        start("--spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration");

        everythingIsAnsweredWith("Invalid retry configuration");
    }

    private void everythingIsAnsweredWith(String words) {
        for (String path : List.of("retryoncalls?state=dead", "retryoncalls?state=waiting", "retryoncalls/4711")) {
            assertThat(answered(HttpMethod.GET, path, "", 503)).contains(words);
        }
        for (String action : List.of("run-now", "give-up", "resend", "discard")) {
            String one = "{\"action\": \"" + action + "\"}";
            assertThat(answered(HttpMethod.POST, "retryoncalls/4711", one, 503)).contains(words);
            String many = "{\"action\": \"" + action + "\", \"confirm\": true}";
            assertThat(answered(HttpMethod.POST, "retryoncalls", many, 503)).contains(words);
        }
    }

    private void startWithFile() {
        start("--retryon.durable.store=embedded", "--retryon.durable.path=" + folder.resolve("calls.db"));
    }

    private void start(String... properties) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.SERVLET);
        List<String> all = new ArrayList<>(List.of(properties));
        all.addAll(List.of(
                "--server.port=0",
                "--management.endpoints.web.exposure.include=retryoncalls",
                "--management.endpoint.retryoncalls.access=unrestricted",
                "--spring.main.banner-mode=off"));
        context = application.run(all.toArray(String[]::new));
    }

    private String answered(HttpMethod method, String path, String body, int status) {
        int port = ((WebServerApplicationContext) context).getWebServer().getPort();
        ResponseEntity<byte[]> response = ActuatorRequest.send(port, method, "/actuator/" + path, body, "operator");
        String text = ActuatorRequest.text(response);
        assertThat(response.getStatusCode().value())
                .as(method + " " + path + ": " + text)
                .isEqualTo(status);
        return text;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(OperatorAccess.class)
    static class Application {}
}
