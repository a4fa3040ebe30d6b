// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.http.RetryClientHttpRequestInterceptor;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;

/** An application that has used the word "retry" for its own things, in every place that occurs in practice. */
@ExtendWith(OutputCaptureExtension.class)
class ClashingNamesTests {

    private static final String[] ARGUMENTS = {
        "--spring.main.register-shutdown-hook=false",
        "--spring.main.banner-mode=off",
        "--spring.jmx.enabled=false",
        "--retry.enabled=false",
        "--retry.defaults.max-attempts=99",
        "--management.endpoints.web.exposure.include=*",
        // Its scope turns beans of Resilience4j into interceptors.
        "--spring.cloud.refresh.enabled=false"
    };

    @Test
    void bothSidesWork() throws IOException {
        try (ConfigurableApplicationContext context = start()) {
            assertThat(context.getBean(OwnProperties.class).isEnabled()).isFalse();
            assertThat(context.getBean(OwnProperties.class).getDefaults()).containsEntry("max-attempts", "99");
            assertThat(context.getBean(Payments.class).charge()).isEqualTo("attempt 3");
            assertThat(context.getBean(Payments.class).chargeBySpring()).isEqualTo("attempt 3");
            assertThat(context.getBean("retries", OwnEndpoint.class).own()).isEqualTo("own retries");
            assertThat(context.containsBean("retryOnEndpoint")).isTrue();
        }
    }

    @Test
    void ourBeansBeginWithTheNameOfTheProduct() {
        try (ConfigurableApplicationContext context = start()) {
            BeanDefinitionRegistry definitions = (BeanDefinitionRegistry) context.getBeanFactory();
            List<String> ours = Arrays.stream(context.getBeanDefinitionNames())
                    .filter(name -> String.valueOf(
                                    definitions.getBeanDefinition(name).getResourceDescription())
                            .matches(".*dev/retryon/\\w+/autoconfigure/Retry.*"))
                    .toList();
            // More than the auto-configurations themselves.
            assertThat(ours).hasSizeGreaterThan(30).allMatch(name -> name.startsWith("retryOn"));
        }
    }

    @Test
    void noneOfOursIsACandidateForATypeThatApplicationsInject() {
        try (ConfigurableApplicationContext context = start()) {
            Injected injected = context.getBean(Injected.class);
            assertThat(injected.interceptor).isSameAs(context.getBean("retryInterceptor"));
            assertThat(injected.httpInterceptor).isNotInstanceOf(RetryClientHttpRequestInterceptor.class);
        }
    }

    @Test
    void aLineSaysThatRetriesAreSwitchedOff(CapturedOutput output) {
        try (ConfigurableApplicationContext context =
                BootRun.of("", "retryon.enabled: false\n", Payments.class).start()) {
            assertThat(context.containsBean("retryOnAdvisor")).isFalse();
        }
        assertThat(output.getAll().lines().filter(line -> line.contains("RetryOn is switched off")))
                .singleElement()
                .asString()
                .contains("INFO", "retryon.enabled is false, so no method is retried");
    }

    private static ConfigurableApplicationContext start() {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        return application.run(ARGUMENTS);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration")
    @EnableResilientMethods
    @EnableConfigurationProperties(OwnProperties.class)
    static class Application {

        /** As applications with spring-amqp call theirs. */
        @Bean
        MethodInterceptor retryInterceptor() {
            return invocation -> invocation.proceed();
        }

        @Bean
        ClientHttpRequestInterceptor ownHttpInterceptor() {
            return (request, body, execution) -> execution.execute(request, body);
        }

        @Bean
        Payments payments() {
            return new Payments();
        }

        @Bean
        Injected injected(MethodInterceptor ofTheApplication, ClientHttpRequestInterceptor httpOfTheApplication) {
            return new Injected(ofTheApplication, httpOfTheApplication);
        }

        @Bean
        OwnEndpoint retries() {
            return new OwnEndpoint();
        }

        @Bean
        OwnEventsEndpoint retryevents() {
            return new OwnEventsEndpoint();
        }
    }

    record Injected(MethodInterceptor interceptor, ClientHttpRequestInterceptor httpInterceptor) {}

    @ConfigurationProperties("retry")
    static class OwnProperties {

        private boolean enabled = true;

        private Map<String, String> defaults = Map.of();

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }

        public Map<String, String> getDefaults() {
            return defaults;
        }

        public void setDefaults(Map<String, String> defaults) {
            this.defaults = defaults;
        }
    }

    @Endpoint(id = "retries")
    static class OwnEndpoint {

        @ReadOperation
        public String own() {
            return "own retries";
        }
    }

    @Endpoint(id = "retryevents")
    static class OwnEventsEndpoint {

        @ReadOperation
        public String own() {
            return "own events";
        }
    }

    static class Payments {

        private final AtomicInteger charges = new AtomicInteger();

        private final AtomicInteger bySpring = new AtomicInteger();

        @RetryOn(value = IOException.class, backoff = "none")
        public String charge() throws IOException {
            return attempt(charges);
        }

        @Retryable(value = IOException.class, delay = 0)
        public String chargeBySpring() throws IOException {
            return attempt(bySpring);
        }

        private static String attempt(AtomicInteger counter) throws IOException {
            int attempt = counter.incrementAndGet();
            if (attempt < 3) {
                throw new IOException("attempt " + attempt);
            }
            return "attempt " + attempt;
        }
    }
}
