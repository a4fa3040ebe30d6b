// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.beside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.jayway.jsonpath.JsonPath;
import dev.retryon.spring.RetryOn;
import io.github.resilience4j.retry.annotation.Retry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.config.RetryInterceptorBuilder;
import org.springframework.amqp.rabbit.config.StatelessRetryOperationsInterceptor;
import org.springframework.amqp.rabbit.retry.RejectAndDontRequeueRecoverer;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.retry.annotation.Retryable;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.client.RestClient;

/**
 * One application with RetryOn, Resilience4j and all its endpoints, spring-retry, Spring Framework's {@code @Retryable} and
 * an interceptor of spring-amqp.
 */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OtherLibrariesTests {

    private static final String[] ARGUMENTS = {
        "--server.port=0",
        "--spring.main.banner-mode=off",
        "--spring.main.register-shutdown-hook=false",
        "--management.endpoints.web.exposure.include=*",
        "--retryon.defaults.backoff=none",
        "--resilience4j.retry.instances.bank.wait-duration=1ms"
    };

    private ConfigurableApplicationContext context;

    private String started;

    private Bank bank;

    @BeforeAll
    void start(CapturedOutput output) {
        context = SpringApplication.run(Application.class, ARGUMENTS);
        started = output.getAll();
    }

    @AfterAll
    void stop() {
        context.close();
    }

    @BeforeEach
    void forget() {
        bank = context.getBean(Bank.class);
        bank.calls().set(0);
    }

    @Test
    void eachLibraryRetriesItsOwnMethods() {
        for (Callable<String> call :
                List.<Callable<String>>of(bank::byRetryOn, bank::bySpring, bank::bySpringRetry, bank::byResilience4j)) {
            bank.calls().set(0);
            assertThatExceptionOfType(IOException.class).isThrownBy(call::call);
            assertThat(bank.calls()).hasValue(3);
        }
    }

    @Test
    void twoLibrariesMultiplyTheirAttemptsAndTheStartSaysSo() {
        for (Callable<String> call : List.<Callable<String>>of(
                bank::twiceWithSpring, bank::twiceWithSpringRetry, bank::twiceWithResilience4j)) {
            bank.calls().set(0);
            assertThatExceptionOfType(IOException.class).isThrownBy(call::call);
            assertThat(bank.calls()).as("3 times 3").hasValue(9);
        }
        assertThat(started.lines().filter(line -> line.contains("attempts multiply")))
                .satisfiesExactlyInAnyOrder(
                        line -> assertThat(line)
                                .contains("WARN", ".twiceWithSpring is retried by RetryOn and by Spring Framework's"),
                        line -> assertThat(line)
                                .contains("WARN", ".twiceWithSpringRetry is retried by RetryOn and by spring-retry's"),
                        line -> assertThat(line)
                                .contains(
                                        "WARN", ".twiceWithResilience4j is retried by RetryOn and by Resilience4j's"));
    }

    @Test
    void theEndpointsOfBothAnswer() {
        assertThatExceptionOfType(IOException.class).isThrownBy(bank::byRetryOn);
        assertThatExceptionOfType(IOException.class).isThrownBy(bank::byResilience4j);

        assertThat(JsonPath.<List<String>>read(get("retries"), "$.retries")).containsExactly("bank");
        assertThat(JsonPath.<List<String>>read(get("retryevents"), "$.retryEvents[*].retryName"))
                .contains("bank");
        assertThat(JsonPath.<List<String>>read(get("retryon"), "$.retries[*].name"))
                .contains("Bank.byRetryOn")
                .doesNotContain("bank");
        assertThat(JsonPath.<List<String>>read(get("retryonevents"), "$.events[*].name"))
                .contains("Bank.byRetryOn")
                .doesNotContain("bank");
    }

    @Test
    void theMetersOfBothExist() {
        assertThat(JsonPath.<List<String>>read(get("metrics"), "$.names"))
                .contains("retryon.calls", "resilience4j.retry.calls");
    }

    @Test
    void springAmqpsInterceptorHasItsNameAndRetries() {
        MethodInterceptor interceptor = context.getBean("retryInterceptor", StatelessRetryOperationsInterceptor.class);
        ProxyFactory proxy = new ProxyFactory(MessageListener.class, interceptor);
        proxy.setTarget((MessageListener) (channel, message) -> bank.fail());
        MessageListener listener = (MessageListener) proxy.getProxy();

        assertThatException()
                .isThrownBy(() -> listener.onMessage("channel", new Message(new byte[0])))
                .withCauseInstanceOf(AmqpRejectAndDontRequeueException.class);
        assertThat(bank.calls()).hasValue(3);
    }

    private String get(String endpoint) {
        int port = ((WebServerApplicationContext) context).getWebServer().getPort();
        return RestClient.create("http://localhost:" + port + "/actuator/" + endpoint)
                .get()
                .retrieve()
                .requiredBody(String.class);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableRetry
    @EnableResilientMethods
    static class Application {

        @Bean
        StatelessRetryOperationsInterceptor retryInterceptor() {
            return RetryInterceptorBuilder.stateless()
                    .configureRetryPolicy(policy -> policy.maxRetries(2).delay(Duration.ZERO))
                    .recoverer(new RejectAndDontRequeueRecoverer())
                    .build();
        }

        @Bean
        Bank bank() {
            return new Bank();
        }

        @Bean
        SecurityFilterChain open(HttpSecurity http) {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
    }

    /** As the containers of spring-amqp call a listener: their interceptors read the message from the second argument. */
    interface MessageListener {

        void onMessage(Object channel, Message message) throws Exception;
    }

    static class Bank {

        private final AtomicInteger calls = new AtomicInteger();

        AtomicInteger calls() {
            return calls;
        }

        @RetryOn(IOException.class)
        public String byRetryOn() throws IOException {
            return fail();
        }

        @org.springframework.resilience.annotation.Retryable(maxRetries = 2, delay = 0)
        public String bySpring() throws IOException {
            return fail();
        }

        @Retryable(backoff = @Backoff(delay = 1))
        public String bySpringRetry() throws IOException {
            return fail();
        }

        @Retry(name = "bank")
        public String byResilience4j() throws IOException {
            return fail();
        }

        @RetryOn(IOException.class)
        @org.springframework.resilience.annotation.Retryable(maxRetries = 2, delay = 0)
        public String twiceWithSpring() throws IOException {
            return fail();
        }

        @RetryOn(IOException.class)
        @Retryable(backoff = @Backoff(delay = 1))
        public String twiceWithSpringRetry() throws IOException {
            return fail();
        }

        @RetryOn(IOException.class)
        @Retry(name = "bank")
        public String twiceWithResilience4j() throws IOException {
            return fail();
        }

        String fail() throws IOException {
            throw new IOException("down at " + calls.incrementAndGet());
        }
    }
}
