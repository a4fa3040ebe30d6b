// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.jayway.jsonpath.JsonPath;
import dev.retryon.ExtensionErrorListener;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.RetrySettingsChanged;
import dev.retryon.spring.internal.actuate.ActuatorRequest;
import dev.retryon.spring.internal.actuate.OperatorAccess;
import dev.retryon.spring.module.ExtensionErrors;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;

/** One of several applications that share a database. */
final class SharedNode {

    private final ConfigurableApplicationContext context;

    private SharedNode(ConfigurableApplicationContext context) {
        this.context = context;
    }

    static SharedNode on(String url, String... properties) {
        Stream<String> own = Stream.of(
                "server.port=0",
                "management.endpoints.web.exposure.include=retryon",
                "management.endpoint.retryon.access=unrestricted",
                "spring.main.banner-mode=off",
                "spring.datasource.url=" + url,
                "spring.datasource.hikari.maximum-pool-size=4",
                "spring.datasource.hikari.connection-timeout=1000",
                "retryon.budgets.shop.min-per-second=1000000",
                "retryon.jdbc.initialize-schema=always",
                "retryon.jdbc.shared-settings.enabled=true",
                "retryon.jdbc.shared-settings.poll-interval=100ms");
        List<String> keys = Stream.of(properties)
                .map(property -> property.substring(0, property.indexOf('=')))
                .toList();
        String[] arguments = Stream.concat(
                        own.filter(property -> !keys.contains(property.substring(0, property.indexOf('=')))),
                        Stream.of(properties))
                .map(property -> "--" + property)
                .toArray(String[]::new);
        return new SharedNode(new SpringApplication(Application.class).run(arguments));
    }

    void close() {
        context.close();
    }

    ExtensionErrors errors() {
        return context.getBean(ExtensionErrors.class);
    }

    long storeFaults() {
        return errors().count(ExtensionErrorListener.Kind.STORE, ExtensionErrorListener.ANY);
    }

    long configurationFaults() {
        return errors().count(ExtensionErrorListener.Kind.CONFIGURATION, ExtensionErrorListener.ANY);
    }

    List<String> descriptions() {
        return context.getBean(Seen.class).changes;
    }

    int attemptsOfFirstCall() {
        return context.getBean(FirstCall.class).attempts;
    }

    int attemptsOfBuy() {
        return attempts(context.getBean(Shop.class));
    }

    private static int attempts(Shop shop) {
        int before = shop.attempts();
        assertThatExceptionOfType(IOException.class).isThrownBy(shop::buy);
        return shop.attempts() - before;
    }

    List<Object> changes() {
        return JsonPath.read(get(""), "$.changes");
    }

    String get(String path) {
        return text(request(HttpMethod.GET, path, ""));
    }

    String post(String path, String body) {
        ResponseEntity<byte[]> response = send(path, body);
        assertThat(response.getStatusCode().value()).as(text(response)).isBetween(200, 204);
        return text(response);
    }

    ResponseEntity<byte[]> send(String path, String body) {
        return request(HttpMethod.POST, path, body);
    }

    ResponseEntity<byte[]> delete(String path) {
        return request(HttpMethod.DELETE, path, "");
    }

    void refused(String path, String body, String problem) {
        ResponseEntity<byte[]> response = send(path, body);
        assertThat(response.getStatusCode().value()).as(text(response)).isEqualTo(400);
        assertThat(JsonPath.<String>read(text(response), "$.problem")).contains(problem);
    }

    String text(ResponseEntity<byte[]> response) {
        return ActuatorRequest.text(response);
    }

    private ResponseEntity<byte[]> request(HttpMethod method, String path, String body) {
        int port = ((WebServerApplicationContext) context).getWebServer().getPort();
        return ActuatorRequest.send(port, method, "/actuator/retryon" + path, body, "operator");
    }

    static class Shop {

        private int attempts;

        @RetryOn(value = IOException.class, delay = "0s", jitter = "none", budget = "shop")
        public void buy() throws IOException {
            attempts++;
            throw new IOException("down");
        }

        public int attempts() {
            return attempts;
        }
    }

    static class Seen {

        final List<String> changes = new CopyOnWriteArrayList<>();

        @EventListener
        void changed(RetrySettingsChanged event) {
            changes.add(event.description());
        }
    }

    /** Calls as soon as other lifecycles than the earliest begin. */
    static class FirstCall implements SmartLifecycle {

        private final Shop shop;

        private int attempts;

        FirstCall(Shop shop) {
            this.shop = shop;
        }

        @Override
        public void start() {
            attempts = attempts(shop);
        }

        @Override
        public int getPhase() {
            return Integer.MIN_VALUE + 10_000;
        }

        @Override
        public void stop() {
            attempts = 0;
        }

        @Override
        public boolean isRunning() {
            return attempts > 0;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Shop.class, Seen.class, OperatorAccess.class})
    static class Application {

        @Bean
        FirstCall firstCall(Shop shop) {
            return new FirstCall(shop);
        }
    }
}
