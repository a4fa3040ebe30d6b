// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.retryon.backoff.BackoffStrategy;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.RetrySettingsChanged;
import dev.retryon.spring.internal.control.RuntimeSettings;
import dev.retryon.spring.module.RuntimeChange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.event.EventListener;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/** Code of the application that runs while settings change for all nodes, and waits for another such change. */
@Tag("slow")
@Timeout(120)
class WaitingApplicationTests {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final String url = "jdbc:h2:mem:waiting" + System.nanoTime() + ";DB_CLOSE_DELAY=-1";

    private final List<ConfigurableApplicationContext> nodes = new ArrayList<>();

    @AfterEach
    void stop() {
        nodes.forEach(ConfigurableApplicationContext::close);
    }

    private ConfigurableApplicationContext start(Class<?> application) {
        ConfigurableApplicationContext node = new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.datasource.url=" + url,
                        "retryon.jdbc.initialize-schema=always",
                        "retryon.jdbc.shared-settings.enabled=true",
                        "retryon.jdbc.shared-settings.poll-interval=50ms")
                .run();
        nodes.add(node);
        return node;
    }

    private static void change(SharedSettings shared, RuntimeChange.Scope scope, String name, String what, String to) {
        shared.change(scope, name, Map.of(what, to), null, "alice");
    }

    private static void awaitChanges(ConfigurableApplicationContext node, String... changes) {
        RuntimeSettings settings = node.getBean(RuntimeSettings.class);
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(settings.changes())
                        .extracting(change ->
                                change.target().path() + change.settings().texts())
                        .containsExactlyInAnyOrder(changes));
    }

    @Test
    void aListenerMayWaitForAThreadThatChangesSettingsForAllNodes() {
        ConfigurableApplicationContext here = start(WithListener.class);
        ConfigurableApplicationContext there = start(WithListener.class);

        change(here.getBean(SharedSettings.class), RuntimeChange.Scope.NAME, "Shop.buy", "maxAttempts", "2");

        for (ConfigurableApplicationContext node : nodes) {
            awaitChanges(node, "Shop.buy{maxAttempts=2}", "{timeout=1m}");
            WaitingListener listener = node.getBean(WaitingListener.class);
            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThat(listener.heard)
                            .anyMatch(text -> text.startsWith("Shop.buy: changed for all nodes"))
                            .anyMatch(text -> text.startsWith("all retries: changed for all nodes")));
            assertThat(listener.failed).isEmpty();
        }
        assertThat(here.getBean(WaitingListener.class).heard.get(0)).startsWith("Shop.buy");
        there.getBean(SharedSettings.class).takeBack(RuntimeChange.Scope.NAME, "Shop.buy", "alice");
        awaitChanges(here, "{timeout=1m}");
    }

    @Test
    void aBackoffMayBeMadeByCodeThatWaitsForAThreadThatChangesSettingsForAllNodes() {
        ConfigurableApplicationContext here = start(WithBackoff.class);
        ConfigurableApplicationContext there = start(WithBackoff.class);

        nodes.forEach(node -> node.getBean(AtomicBoolean.class).set(true));

        change(here.getBean(SharedSettings.class), RuntimeChange.Scope.NAME, "PatientShop.buy", "maxAttempts", "2");

        awaitChanges(here, "PatientShop.buy{maxAttempts=2}", "{timeout=1m}");
        awaitChanges(there, "PatientShop.buy{maxAttempts=2}", "{timeout=1m}");
        assertThat(nodes).noneMatch(node -> node.getBean(AtomicBoolean.class).get());
    }

    /** Changes settings for all nodes on another thread, and waits for it. */
    private static void changeElsewhere(SharedSettings shared) {
        CompletableFuture.runAsync(
                        () -> change(shared, RuntimeChange.Scope.ALL, "", "timeout", "1m"),
                        new SimpleAsyncTaskExecutor("elsewhere-"))
                .orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    static class Shop {

        @RetryOn
        public void buy() {}
    }

    static class PatientShop {

        @RetryOn(backoff = "patient")
        public void buy() {}
    }

    static class WaitingListener {

        private final ObjectProvider<SharedSettings> shared;

        private final List<String> heard = new CopyOnWriteArrayList<>();

        private final List<Throwable> failed = new CopyOnWriteArrayList<>();

        WaitingListener(ObjectProvider<SharedSettings> shared) {
            this.shared = shared;
        }

        @EventListener
        void changed(RetrySettingsChanged event) {
            heard.add(event.description());
            if (event.path().equals("Shop.buy") && event.description().contains("maxAttempts")) {
                try {
                    changeElsewhere(shared.getObject());
                } catch (RuntimeException ex) {
                    failed.add(ex);
                }
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithListener {

        @Bean
        Shop shop() {
            return new Shop();
        }

        @Bean
        WaitingListener listener(ObjectProvider<SharedSettings> shared) {
            return new WaitingListener(shared);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithBackoff {

        @Bean
        PatientShop shop() {
            return new PatientShop();
        }

        @Bean
        AtomicBoolean isToWait() {
            return new AtomicBoolean();
        }

        /** Made anew for each policy. */
        @Bean
        @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
        BackoffStrategy patient(AtomicBoolean isToWait, ObjectProvider<SharedSettings> shared) {
            if (isToWait.getAndSet(false)) {
                changeElsewhere(shared.getObject());
            }
            return (retry, base, previous) -> Duration.ofMillis(1);
        }
    }
}
