/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.dashboard;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** Starts the shop on a free port. */
final class Started {

    private Started() {}

    static ConfigurableApplicationContext run(WebApplicationType stack, String... arguments) {
        SpringApplication application = new SpringApplication(DashboardApplication.class);
        application.setWebApplicationType(stack);
        application.setDefaultProperties(Map.of(
                "server.port", "0",
                "spring.application.name", "shop",
                "spring.main.banner-mode", "off",
                "spring.reactor.netty.shutdown-quiet-period", "0s",
                "spring.autoconfigure.exclude",
                        "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
                "logging.level.dev.retryon", "error",
                "management.endpoints.web.exposure.include", "*",
                "retryon.budgets.gateway.ratio", "0.2",
                "retryon.durable.store", "embedded"));
        application.addInitializers(context -> context.getEnvironment()
                .getPropertySources()
                .addLast(new MapPropertySource("store", Map.of("retryon.durable.path", file()))));
        return application.run(arguments);
    }

    private static String file() {
        try {
            Path folder = Files.createTempDirectory("retryon-dashboard");
            folder.toFile().deleteOnExit();
            return folder.resolve("calls.db").toString();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    static int port(ConfigurableApplicationContext context) {
        return ((WebServerApplicationContext) context).getWebServer().getPort();
    }

    static String address(ConfigurableApplicationContext context) {
        return "http://localhost:" + port(context) + "/actuator/retryondashboard";
    }

    /** Calls that succeed, calls that fail, and some that are kept as dead letters. */
    static void trouble(ConfigurableApplicationContext context) throws IOException {
        DashboardApplication.Payments payments = context.getBean(DashboardApplication.Payments.class);
        DashboardApplication.Mails mails = context.getBean(DashboardApplication.Mails.class);
        for (int i = 0; i < 20; i++) {
            payments.charge(i);
        }
        context.getBean(DashboardApplication.Outside.class).down = true;
        for (int i = 0; i < 12; i++) {
            swallow(() -> payments.charge(1));
        }
        for (int i = 0; i < 3; i++) {
            swallow(() -> mails.send("a@shop.example", "text"));
        }
    }

    private static void swallow(Call call) {
        try {
            call.run();
        } catch (IOException ex) {
            // It is meant to fail.
        }
    }

    private interface Call {

        void run() throws IOException;
    }
}
