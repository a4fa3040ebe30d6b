// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.Retry;
import dev.retryon.RetryEngine;
import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryListener;
import dev.retryon.StopReason;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.RetryRegistry;
import jakarta.annotation.PostConstruct;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.util.StringUtils;
import org.springframework.web.client.RestClient;

/** Retries in contexts with parents and children, each of which starts and ends by itself. */
@Tag("slow")
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class ContextHierarchyTests {

    private static final String[] QUIET = {
        "--spring.main.register-shutdown-hook=false", "--spring.main.banner-mode=off", "--spring.jmx.enabled=false"
    };

    @Test
    void theParentRetriesOnAfterItsChildHasClosed() throws IOException {
        try (ConfigurableApplicationContext parent = start(null, ParentApplication.class)) {
            Payments ofParent = parent.getBean(Payments.class);
            List<String> reasons = parent.getBean("parentListener", Recorder.class).reasons;
            CompletableFuture<String> waiting = ofParent.waitsForAnHour();
            ConfigurableApplicationContext child = start(parent, ChildApplication.class);
            assertThat(child.getBean(Orders.class).place()).isEqualTo("attempt 2");
            child.close();
            assertThat(waiting).isNotDone();
            assertThat(ofParent.charge()).isEqualTo("attempt 2");
            assertThat(reasons).isEmpty();
            parent.close();
            endsEarly(waiting);
            assertThat(reasons).containsExactly("Payments.waitsForAnHour SHUTDOWN");
        }
    }

    @Test
    void theChildRetriesOnAfterItsParentHasClosed() throws IOException {
        ConfigurableApplicationContext parent = start(null, ParentApplication.class);
        // Not by SpringApplication, which closes the children with the parent.
        try (AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
            child.setParent(parent);
            child.register(ChildApplication.class);
            child.refresh();
            CompletableFuture<String> waiting = child.getBean(Orders.class).waitsForAnHour();
            parent.close();
            assertThat(waiting).isNotDone();
            assertThat(child.getBean(Orders.class).place()).isEqualTo("attempt 2");
            child.close();
            endsEarly(waiting);
        } finally {
            parent.close();
        }
    }

    @Test
    void theListenersOfTheChildReceiveItsEventsAndTheParentsTheirs(CapturedOutput output) throws IOException {
        try (ConfigurableApplicationContext parent = start(null, ParentApplication.class);
                ConfigurableApplicationContext child = start(parent, ChildApplication.class)) {
            child.getBean(Orders.class).place();
            assertThat(child.getBean("childListener", Recorder.class).events)
                    .containsExactly("RetryScheduled Orders.place", "RetrySucceeded Orders.place");
            parent.getBean(Payments.class).charge();
            assertThat(child.getBean("childListener", Recorder.class).events).hasSize(2);
            assertThat(parent.getBean("parentListener", Recorder.class).events)
                    .contains("RetryScheduled Payments.charge", "RetrySucceeded Payments.charge");
            assertThat(child.containsLocalBean("retryOnLogger")).isTrue();
        }
        assertThat(output.getAll()).containsOnlyOnce("Orders.place: succeeded");
    }

    @Test
    void theRegistryOfTheChildHasItsPoliciesAndItsEngine() throws IOException {
        String[] policy = {"--retryon.policies.orders.exceptions=java.io.IOException"};
        String[] ofChild = {policy[0], "--retryon.policies.orders.max-attempts=2", "--retryon.policies.orders.delay=1ms"
        };
        try (ConfigurableApplicationContext parent = start(null, ParentApplication.class, policy);
                ConfigurableApplicationContext child = start(parent, ChildApplication.class, ofChild)) {
            Trial trial = new Trial();
            Retry retry = child.getBean(RetryRegistry.class).retry("orders");
            assertThat(retry.policy().maxAttempts()).isEqualTo(2);
            assertThat(retry.call(trial::next)).isEqualTo("attempt 2");
            assertThat(child.getBean("childListener", Recorder.class).events)
                    .containsExactly("RetryScheduled orders", "RetrySucceeded orders");
            assertThat(parent.getBean(RetryRegistry.class)
                            .retry("orders")
                            .policy()
                            .maxAttempts())
                    .isEqualTo(3);
        }
    }

    @Test
    void theChildUsesTheEngineThatItDefinesUnderAnyName() {
        try (ConfigurableApplicationContext parent = start(null, ParentApplication.class);
                ConfigurableApplicationContext child = start(parent, OwnEngineApplication.class)) {
            CompletableFuture<String> waiting = parent.getBean(Payments.class).waitsForAnHour();
            CompletableFuture<String> own = child.getBean(Orders.class).waitsForAnHour();
            child.getBean("ordersEngine", RetryEngine.class).close();
            endsEarly(own);
            child.close();
            assertThat(waiting).isNotDone();
        }
    }

    @Test
    void aChildThatIsSwitchedOffDoesNotRetryThoughItsParentDoes() throws IOException {
        try (ConfigurableApplicationContext parent = start(null, ParentApplication.class);
                ConfigurableApplicationContext child =
                        start(parent, ChildApplication.class, "--retryon.enabled=false")) {
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> child.getBean(Orders.class).place())
                    .withMessage("attempt 1");
            assertThat(parent.getBean(Payments.class).charge()).isEqualTo("attempt 2");
        }
    }

    @Test
    void aManagementContextOnItsOwnPortLeavesTheApplicationsRetriesAlone() throws IOException {
        SpringApplication application = new SpringApplication(WebApplication.class);
        application.setDefaultProperties(Map.of(
                "server.port",
                0,
                "management.server.port",
                0,
                "management.endpoints.web.exposure.include",
                "retryon,retryonevents"));
        try (ConfigurableApplicationContext context = application.run(QUIET)) {
            assertThat(context.getBean(Payments.class).charge()).isEqualTo("attempt 2");
            RestClient client = RestClient.create();
            String port = context.getEnvironment().getRequiredProperty("local.management.port");
            assertThat(port)
                    .isNotEqualTo(String.valueOf(((WebServerApplicationContext) context)
                            .getWebServer()
                            .getPort()));
            assertThat(client.get()
                            .uri("http://localhost:" + port + "/actuator/retryon/Payments.charge")
                            .retrieve()
                            .body(String.class))
                    .contains("Payments#charge");
            assertThat(client.get()
                            .uri("http://localhost:" + port + "/actuator/retryonevents")
                            .retrieve()
                            .body(String.class))
                    .contains("Payments.charge");
        }
    }

    @Test
    void aStartThatFailsEndsTheRetriesThatItsBeansHaveBegun() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
            Starter.call = null;
            SpringApplication application = new SpringApplication(WebApplication.class, Starter.class);
            application.setDefaultProperties(
                    Map.of("server.port", taken.getLocalPort(), "server.address", "localhost"));
            assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> application.run(QUIET));
            CompletableFuture<String> call = Starter.call;
            assertThat(call).isNotNull();
            endsEarly(call);
        }
    }

    @Test
    void aStartThatFailsBeforeAllBeansAreMadeEndsThemToo() {
        Starter.call = null;
        SpringApplication application =
                new SpringApplication(ParentApplication.class, Starter.class, FailsAtStart.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        assertThatExceptionOfType(RuntimeException.class)
                .isThrownBy(() -> application.run(QUIET))
                .havingRootCause()
                .withMessage("no licence");
        CompletableFuture<String> call = Starter.call;
        assertThat(call).isNotNull();
        endsEarly(call);
    }

    private static ConfigurableApplicationContext start(
            ConfigurableApplicationContext parent, Class<?> application, String... properties) {
        SpringApplicationBuilder builder = new SpringApplicationBuilder(application).web(WebApplicationType.NONE);
        String[] arguments = StringUtils.concatenateStringArrays(QUIET, properties);
        return parent == null ? builder.run(arguments) : builder.parent(parent).run(arguments);
    }

    private static void endsEarly(CompletableFuture<String> call) {
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(call::get)
                .havingCause()
                .isExactlyInstanceOf(IOException.class);
    }

    /** The parts that retry, and nothing else that takes long to start. */
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        RetryAutoConfiguration.class,
        RetryTelemetryAutoConfiguration.class
    })
    static class ParentApplication extends PaymentsOfTheParent {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            exclude = SecurityAutoConfiguration.class,
            excludeName = {
                "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
                "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration",
                "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
            })
    static class WebApplication extends PaymentsOfTheParent {}

    static class PaymentsOfTheParent {

        @Bean
        Recorder parentListener() {
            return new Recorder();
        }

        @Bean
        Payments payments() {
            return new Payments();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        RetryAutoConfiguration.class,
        RetryOffAutoConfiguration.class,
        RetryTelemetryAutoConfiguration.class
    })
    static class ChildApplication {

        @Bean
        Recorder childListener() {
            return new Recorder();
        }

        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(ChildApplication.class)
    static class OwnEngineApplication {

        @Bean
        RetryEngine ordersEngine() {
            return RetryEngine.builder().build();
        }
    }

    static class Recorder implements RetryListener {

        private final List<String> events = new CopyOnWriteArrayList<>();

        private final List<String> reasons = new CopyOnWriteArrayList<>();

        @Override
        public void onEvent(RetryEvent event) {
            events.add(event.getClass().getSimpleName() + " " + event.name());
            if (event instanceof RetryFailed failed) {
                StopReason reason = failed.reason();
                reasons.add(event.name() + " " + reason);
            }
        }
    }

    /** Fails at first. */
    static class Trial {

        private int attempts;

        String next() throws IOException {
            attempts++;
            if (attempts < 2) {
                throw new IOException("attempt " + attempts);
            }
            return "attempt " + attempts;
        }
    }

    static class Payments {

        private final Trial trial = new Trial();

        @RetryOn(value = IOException.class, backoff = "none")
        public String charge() throws IOException {
            return trial.next();
        }

        @RetryOn(value = IOException.class, delay = "1h", jitter = "none")
        public CompletableFuture<String> waitsForAnHour() {
            return CompletableFuture.failedFuture(new IOException("attempt 1"));
        }
    }

    static class Orders {

        private final Trial trial = new Trial();

        @RetryOn(value = IOException.class, backoff = "none")
        public String place() throws IOException {
            return trial.next();
        }

        @RetryOn(value = IOException.class, delay = "1h", jitter = "none")
        public CompletableFuture<String> waitsForAnHour() {
            return CompletableFuture.failedFuture(new IOException("attempt 1"));
        }
    }

    static class Starter {

        private static CompletableFuture<String> call;

        private final Payments payments;

        Starter(Payments payments) {
            this.payments = payments;
        }

        @PostConstruct
        void start() {
            call = payments.waitsForAnHour();
        }
    }

    static class FailsAtStart {

        @PostConstruct
        void start() {
            throw new IllegalStateException("no licence");
        }
    }
}
