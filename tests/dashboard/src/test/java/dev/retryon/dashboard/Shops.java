// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import static org.awaitility.Awaitility.await;

import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.spring.internal.control.RuntimeSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.util.FileSystemUtils;

/** Starts shops on free ports, and keeps those that several tests use. */
final class Shops implements AutoCloseable {

    private static final int ALL = 1_000;

    private final Map<List<String>, ConfigurableApplicationContext> shared = new HashMap<>();

    private final Path folder;

    private int started;

    Shops() {
        try {
            folder = Files.createTempDirectory("retryon-dashboard");
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /**
     * Returns a shop that other tests use too. It has no dead letters, waiting calls and changed settings of those tests, but it
     * has their counters, events and finished tasks.
     */
    ConfigurableApplicationContext share(WebApplicationType stack, String... arguments) {
        List<String> key = new ArrayList<>(List.of(arguments));
        key.add(stack.name());
        ConfigurableApplicationContext context = shared.get(key);
        if (context == null) {
            context = start(stack, arguments);
            shared.put(key, context);
        } else {
            clean(context);
        }
        return context;
    }

    /** Starts a shop, which the caller closes. */
    ConfigurableApplicationContext start(WebApplicationType stack, String... arguments) {
        SpringApplication application = application(stack);
        started++;
        Map<String, Object> store = Map.of(
                "retryon.durable.path",
                folder.resolve("calls-" + started + ".db").toString());
        application.addInitializers(context ->
                context.getEnvironment().getPropertySources().addLast(new MapPropertySource("store", store)));
        return application.run(arguments);
    }

    /** A shop with the settings that all of them have. */
    static SpringApplication application(WebApplicationType stack) {
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
        return application;
    }

    private static void clean(ConfigurableApplicationContext context) {
        context.getBean(DashboardApplication.Outside.class).down = false;
        RuntimeSettings settings = context.getBean(RuntimeSettings.class);
        settings.changes().forEach(change -> settings.takeBack(change.target(), null));
        StoredCalls calls = context.getBean(StoredCalls.class);
        StoredCalls.Filter open = StoredCalls.Filter.of(State.WAITING, State.RUNNING);
        // A call that a worker is running can only be given up after its attempt.
        await().until(() -> {
            calls.list(open, null, ALL).calls().forEach(call -> calls.giveUp(call.id(), null));
            return calls.count(open) == 0;
        });
        context.getBean(CallStore.class).delete(null, 0);
    }

    @Override
    public void close() throws IOException {
        shared.values().forEach(ConfigurableApplicationContext::close);
        FileSystemUtils.deleteRecursively(folder);
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
        payments(context, 12);
        for (int i = 0; i < 3; i++) {
            swallow(() -> mails.send("a@shop.example", "text"));
        }
    }

    /** Payments of which each one fails if the shop is down. */
    static void payments(ConfigurableApplicationContext context, int count) {
        DashboardApplication.Payments payments = context.getBean(DashboardApplication.Payments.class);
        for (int i = 0; i < count; i++) {
            swallow(() -> payments.charge(1));
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
