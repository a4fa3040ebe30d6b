// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.jayway.jsonpath.JsonPath;
import dev.retryon.spring.VirtualTimeBeans;
import dev.retryon.spring.internal.observe.Payments;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.reactor.netty.NettyWebServer;
import org.springframework.boot.web.server.WebServer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.server.SecurityWebFilterChain;

/** The endpoints of a reactive application, asked over HTTP: the same answers as those of a servlet container. */
@Tag("slow")
class EndpointsOverWebFluxTests {

    /** The application of all tests that need no other settings. */
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
        assertThat(server()).isInstanceOf(NettyWebServer.class);
        context.getBean(Payments.class).charge(2);

        String all = get("/actuator/retryon", "");
        assertThat(JsonPath.<Integer>read(all, "$.retries.length()")).isEqualTo(7);
        String charge = get("/actuator/retryon/Payments.charge", "");
        assertThat(JsonPath.<String>read(charge, "$.name")).isEqualTo("Payments.charge");
        assertThat(JsonPath.<Integer>read(charge, "$.calls.successAfterRetry")).isEqualTo(1);
        assertThat(JsonPath.<Integer>read(charge, "$.retries")).isEqualTo(2);
        assertThat(JsonPath.<Integer>read(charge, "$.methods[0].settings.maxAttempts.value"))
                .isEqualTo(3);
        assertThat(JsonPath.<String>read(charge, "$.methods[0].schedule[1].longest"))
                .isEqualTo("PT0.2S");
    }

    @Test
    void answerNotFoundForWhatIsNotRetried() {
        assertThat(ActuatorRequest.response(port(), "/actuator/retryon/Payments.charge", "")
                        .getStatusCode()
                        .value())
                .isEqualTo(200);
        assertThat(ActuatorRequest.response(port(), "/actuator/retryon/nobody", "")
                        .getStatusCode()
                        .value())
                .isEqualTo(404);
    }

    @Test
    void filterAndLimitEvents() {
        int before = JsonPath.<Integer>read(get("/actuator/retryonevents", ""), "$.events.length()");
        failWithASecret();
        assertThat(JsonPath.<Integer>read(get("/actuator/retryonevents", ""), "$.events.length()"))
                .isEqualTo(before + 3); // 2 retries + 1 failure
        String found = get("/actuator/retryonevents?name=Payments.fail&limit=2", "");
        assertThat(JsonPath.<Object>read(found, "$.events[*].type").toString()).isEqualTo("[\"failure\",\"retry\"]");
        assertThat(JsonPath.<String>read(found, "$.events[0].reason")).isEqualTo("exhausted");
        assertThat(found).doesNotContain("4711");
    }

    @Test
    void showMessagesToTheAuthenticated() {
        start("--management.endpoint.retryonevents.show-values=when-authorized");
        failWithASecret();
        assertThat(get("/actuator/retryonevents", "")).doesNotContain("4711");
        assertThat(get("/actuator/retryonevents", "user")).contains("\"message\":\"card 4711\"");
    }

    private void start(String... arguments) {
        context = run(arguments);
    }

    private static ConfigurableApplicationContext run(String... arguments) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.REACTIVE);
        String[] all = new String[arguments.length + 4];
        all[0] = "--server.port=0";
        all[1] = "--management.endpoints.web.exposure.include=retryon,retryonevents";
        all[2] = "--spring.main.banner-mode=off";
        all[3] = "--spring.reactor.netty.shutdown-quiet-period=0s";
        System.arraycopy(arguments, 0, all, 4, arguments.length);
        return application.run(all);
    }

    private WebServer server() {
        return ((WebServerApplicationContext) context).getWebServer();
    }

    private void failWithASecret() {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> context.getBean(Payments.class).fail(new IOException("card 4711")));
    }

    private String get(String path, String user) {
        return ActuatorRequest.body(port(), path, user);
    }

    private int port() {
        return server().getPort();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Payments.class, VirtualTimeBeans.class})
    static class Application {

        @Bean
        SecurityWebFilterChain everybodyMayAsk(ServerHttpSecurity http) {
            return http.authorizeExchange(exchanges -> exchanges.anyExchange().permitAll())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        MapReactiveUserDetailsService users() {
            return new MapReactiveUserDetailsService(User.withUsername("user")
                    .password("{noop}password")
                    .roles("USER")
                    .build());
        }
    }
}
