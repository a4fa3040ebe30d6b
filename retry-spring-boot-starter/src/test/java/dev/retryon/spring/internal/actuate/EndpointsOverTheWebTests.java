// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jayway.jsonpath.JsonPath;
import dev.retryon.spring.VirtualTimeBeans;
import dev.retryon.spring.internal.observe.Payments;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.client.HttpClientErrorException;

/** The endpoints as they are asked over HTTP, by nobody, a user and an operator. */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class EndpointsOverTheWebTests {

    /** The application of all tests that need no other settings. Calls of charge succeed in the end. */
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
    void showWhatIsRetriedAndHowItWent() throws IOException {
        RetriedCounts before = RetriedCounts.of(get("/actuator/retryon/Payments.charge", ""));
        context.getBean(Payments.class).charge(2);

        String all = get("/actuator/retryon", "");
        assertThat(JsonPath.<Integer>read(all, "$.retries.length()")).isEqualTo(7);
        String charge = get("/actuator/retryon/Payments.charge", "");
        assertThat(JsonPath.<String>read(charge, "$.name")).isEqualTo("Payments.charge");
        assertThat(JsonPath.<Integer>read(charge, "$.calls.success")).isZero();
        assertThat(RetriedCounts.of(charge))
                .isEqualTo(new RetriedCounts(before.successAfterRetry() + 1, before.retries() + 2));
        assertThat(JsonPath.<Integer>read(charge, "$.methods[0].settings.maxAttempts.value"))
                .isEqualTo(3);
        assertThat(JsonPath.<String>read(charge, "$.methods[0].settings.maxAttempts.sources[0]"))
                .isEqualTo("default");
        assertThat(JsonPath.<String>read(charge, "$.methods[0].settings.delay.value"))
                .isEqualTo("100ms");
        assertThat(JsonPath.<String>read(charge, "$.methods[0].schedule[1].longest"))
                .isEqualTo("PT0.2S");
        assertThat(charge).doesNotContain("lastFailure"); // nothing failed permanently
    }

    record RetriedCounts(int successAfterRetry, int retries) {

        static RetriedCounts of(String description) {
            return new RetriedCounts(
                    JsonPath.read(description, "$.calls.successAfterRetry"), JsonPath.read(description, "$.retries"));
        }
    }

    @Test
    void dragInNothingThatPostProcessorsThenMiss(CapturedOutput output) {
        assertThat(output).contains("Started").doesNotContain("not eligible for getting processed");
    }

    @Test
    void answerWithAHintForWhatIsNotRetried() {
        byte[] body = ActuatorRequest.response(port(), "/actuator/retryon/Payments.chrge", "")
                .getBody();
        String answer = new String(body, StandardCharsets.UTF_8);
        assertThat(JsonPath.<String>read(answer, "$.hint")).isEqualTo("no retry is named 'Payments.chrge'");
        assertThat(JsonPath.<List<String>>read(answer, "$.names")).contains("Payments.charge", "find");
        String events = get("/actuator/retryonevents?name=payments.charge", "");
        assertThat(JsonPath.<Integer>read(events, "$.events.length()")).isZero();
        assertThat(JsonPath.<String>read(events, "$.hint")).isEqualTo("no retry is named 'payments.charge'");
        assertThat(get("/actuator/retryonevents?name=Payments.charge", "")).doesNotContain("hint");
        assertThat(get("/actuator/retryonevents", "")).doesNotContain("hint");
    }

    @Test
    void showTheTraceThatAnEventIsOf() throws IOException {
        MDC.put("traceId", "64c6ee1b4c2e3a9d");
        try {
            context.getBean(Payments.class).charge(1);
        } finally {
            MDC.remove("traceId");
        }
        context.getBean(Payments.class).find();
        assertThat(JsonPath.<List<String>>read(get("/actuator/retryonevents", ""), "$.events[*].traceId"))
                .containsExactly("64c6ee1b4c2e3a9d", "64c6ee1b4c2e3a9d"); // the retry and the end of one call
    }

    @Test
    void answerNotFoundForWhatIsNotRetried() {
        assertThat(ActuatorRequest.response(port(), "/actuator/retryon/nobody", "")
                        .getStatusCode()
                        .value())
                .isEqualTo(404);
    }

    @Test
    void countInTheMetricsEndpointExactlyTheRetriesMade() throws IOException {
        context.getBean(Payments.class).charge(1);
        double before = JsonPath.<Double>read(
                get("/actuator/metrics/retryon.retries?tag=name:Payments.charge", ""), "$.measurements[0].value");
        context.getBean(Payments.class).charge(2);
        context.getBean(Payments.class).charge(1);
        String metric = get("/actuator/metrics/retryon.retries?tag=name:Payments.charge", "");
        assertThat(JsonPath.<Double>read(metric, "$.measurements[0].value")).isEqualTo(before + 3); // 2 + 1
        assertThat(JsonPath.<String>read(metric, "$.availableTags[0].values[0]"))
                .isEqualTo("IOException");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1"})
    void refuseALimitBelowOne(String limit) {
        assertThatThrownBy(() -> get("/actuator/retryonevents?limit=" + limit, ""))
                .isInstanceOf(HttpClientErrorException.BadRequest.class);
    }

    @Test
    void filterAndLimitEvents() {
        int before = JsonPath.<Integer>read(get("/actuator/retryonevents", ""), "$.events.length()");
        failWithASecret();
        context.getBean(Payments.class).find();
        assertThat(JsonPath.<Integer>read(get("/actuator/retryonevents", ""), "$.events.length()"))
                .isEqualTo(before + 6); // 2 · (2 retries + 1 failure)
        String found = get("/actuator/retryonevents?name=Payments.fail&limit=2", "");
        assertThat(JsonPath.<Object>read(found, "$.events[*].type").toString()).isEqualTo("[\"failure\",\"retry\"]");
        assertThat(JsonPath.<Object>read(found, "$.events[*].name").toString())
                .isEqualTo("[\"Payments.fail\",\"Payments.fail\"]");
        assertThat(JsonPath.<String>read(found, "$.events[0].reason")).isEqualTo("exhausted");
        assertThat(JsonPath.<String>read(found, "$.events[1].delay")).isEqualTo("PT0.2S");
        assertThat(JsonPath.<String>read(found, "$.events[1].callId"))
                .isEqualTo(JsonPath.<String>read(found, "$.events[0].callId"));
    }

    @Test
    void keepMessagesToThemselves() {
        failWithASecret();
        assertThat(get("/actuator/retryonevents", "operator"))
                .contains("java.io.IOException")
                .doesNotContain("message", "4711");
        assertThat(get("/actuator/retryon", "operator")).doesNotContain("4711");
    }

    @Test
    void showMessagesToEverybodyIfTheApplicationSaysSo() {
        start("management.endpoint.retryonevents.show-values=always");
        failWithASecret();
        assertThat(get("/actuator/retryonevents", "")).contains("\"message\":\"card 4711\"");
    }

    @Test
    void showMessagesToTheAuthenticated() {
        start("management.endpoint.retryonevents.show-values=when-authorized");
        failWithASecret();
        assertThat(get("/actuator/retryonevents", "")).doesNotContain("4711");
        assertThat(get("/actuator/retryonevents", "user")).contains("4711");
    }

    @Test
    void showMessagesToARole() {
        start(
                "management.endpoint.retryonevents.show-values=when-authorized",
                "management.endpoint.retryonevents.roles=OPERATOR");
        failWithASecret();
        assertThat(get("/actuator/retryonevents", "")).doesNotContain("4711");
        assertThat(get("/actuator/retryonevents", "user")).doesNotContain("4711");
        assertThat(get("/actuator/retryonevents", "operator")).contains("4711");
    }

    private void start(String... properties) {
        context = run(properties);
    }

    private static ConfigurableApplicationContext run(String... properties) {
        SpringApplication application = new SpringApplication(Application.class);
        String[] arguments = new String[properties.length + 4];
        arguments[0] = "--server.port=0";
        arguments[1] = "--management.endpoints.web.exposure.include=*";
        arguments[2] = "--spring.main.banner-mode=off";
        arguments[3] = "--spring.reactor.netty.shutdown-quiet-period=0s";
        for (int i = 0; i < properties.length; i++) {
            arguments[i + 4] = "--" + properties[i];
        }
        return application.run(arguments);
    }

    private void failWithASecret() {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> context.getBean(Payments.class).fail(new IOException("card 4711")));
    }

    private String get(String path, String user) {
        return ActuatorRequest.body(port(), path, user);
    }

    private int port() {
        return ((WebServerApplicationContext) context).getWebServer().getPort();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Payments.class, VirtualTimeBeans.class})
    static class Application {

        @Bean
        SecurityFilterChain everybodyMayAsk(HttpSecurity http) {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        InMemoryUserDetailsManager users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("user")
                            .password("{noop}password")
                            .roles("USER")
                            .build(),
                    User.withUsername("operator")
                            .password("{noop}password")
                            .roles("OPERATOR")
                            .build());
        }
    }
}
