// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.proxy;

import dev.retryon.benchmarks.call.Scenario;
import dev.retryon.benchmarks.call.TransientFault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.aopalliance.aop.Advice;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.RootClassFilter;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.retry.backoff.Sleeper;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** One Spring Boot application with all contenders. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@EnableResilientMethods(proxyTargetClass = true)
@EnableRetry(proxyTargetClass = true)
@EnableTransactionManagement(proxyTargetClass = true)
@Import({
    PlainCalls.Bare.class,
    PlainCalls.Empty.class,
    PlainCalls.Hand.class,
    PlainCalls.Handle.class,
    RetryOnCalls.class,
    WovenCalls.class,
    SpringCalls.class,
    SpringRetryCalls.class,
    Resilience4jCalls.class,
    TransactionalCalls.Empty.class,
    TransactionalCalls.Hand.class,
    TransactionalCalls.RetriedOn.class,
    TransactionalCalls.Spring.class
})
class ProxyApplication {

    /** The order outside {@code @Transactional}, whose advice comes last. */
    private static final int OUTSIDE = 0;

    static ConfigurableApplicationContext start(Proxied proxied) {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("retryon.metrics.enabled", proxied.hasMetrics());
        if (proxied.isWoven()) {
            properties.put("retryon.mode", "aspectj");
            properties.put("retryon.warnings.ignore", "W15"); // the other beans are not woven
        }
        if (proxied.isKept()) {
            properties.put("retryon.durable.store", "embedded");
            properties.put("retryon.durable.path", file(".db").toString());
        } else {
            properties.put("spring.autoconfigure.exclude", durable());
        }
        boolean logged = proxied.isLogged();
        properties.put("logging.level.dev.retryon.retries", logged ? "info" : "off");
        if (logged) {
            properties.put("logging.threshold.console", "off");
            properties.put("logging.file.name", file(".log").toString());
        }
        resilience4j(properties, Resilience4jCalls.CALL, Scenario.FEW);
        resilience4j(properties, Resilience4jCalls.GATE, Scenario.FEW);
        properties.put(
                instance(Resilience4jCalls.GATE) + "retry-exception-predicate",
                Resilience4jCalls.IfBusy.class.getName());
        resilience4j(properties, Resilience4jCalls.OFTEN, Scenario.MANY);
        SpringApplicationBuilder builder = new SpringApplicationBuilder(ProxyApplication.class);
        if (proxied.isKept()) {
            // By the name that imported beans have.
            builder.initializers((GenericApplicationContext context) ->
                    context.registerBean(DeadLetterCalls.class.getName(), DeadLetterCalls.class));
        }
        return builder.web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .properties(properties)
                .properties("logging.level.root=warn")
                .run();
    }

    /** Returns the auto-configurations of durable calls. They add listeners and are therefore only measured separately. */
    private static String durable() {
        return ImportCandidates.load(AutoConfiguration.class, ProxyApplication.class.getClassLoader())
                .getCandidates()
                .stream()
                .filter(name -> name.startsWith("dev.retryon.durable."))
                .collect(Collectors.joining(","));
    }

    private static Path file(String extension) {
        try {
            Path file = Files.createTempFile("retryon-benchmarks", extension);
            file.toFile().deleteOnExit();
            return file;
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static void resilience4j(Map<String, Object> properties, String name, int attempts) {
        properties.put(instance(name) + "max-attempts", attempts);
        properties.put(instance(name) + "wait-duration", "0");
        properties.put(instance(name) + "retry-exceptions", TransientFault.class.getName());
    }

    private static String instance(String name) {
        return "resilience4j.retry.instances." + name + ".";
    }

    private static Advisor around(Class<?> type, Advice advice) {
        DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(advice);
        advisor.setPointcut(new TypePointcut(new RootClassFilter(type)));
        advisor.setOrder(OUTSIDE);
        return advisor;
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor emptyAdvisor() {
        return around(PlainCalls.Empty.class, new EmptyAdvice());
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor handAdvisor() {
        return around(PlainCalls.Hand.class, new HandAdvice());
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor handleAdvisor() throws IllegalAccessException {
        return around(PlainCalls.Handle.class, new HandleAdvice(PlainCalls.Handle.class));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor emptyTransactionalAdvisor() {
        return around(TransactionalCalls.Empty.class, new EmptyAdvice());
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor handTransactionalAdvisor() {
        return around(TransactionalCalls.Hand.class, new HandAdvice());
    }

    /** Replaces the sleeper of spring-retry, which cannot wait for less than a millisecond. */
    @Bean
    static Sleeper sleeper() {
        return delay -> {};
    }

    @Bean
    static NoTransactions transactionManager() {
        return new NoTransactions();
    }
}
