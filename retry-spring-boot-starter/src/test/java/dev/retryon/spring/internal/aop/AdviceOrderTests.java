// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.policy.Applications;
import io.micrometer.core.annotation.Counted;
import io.micrometer.core.annotation.Timed;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.annotation.Observed;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAspectsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.Cache;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCache;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * Who runs once a call and who once an attempt, with the real annotations: the table of {@code docs/ordering.md}. Each
 * test fails twice before it succeeds, so "once a call" counts 1 and "once an attempt" counts 3.
 */
@Timeout(120)
class AdviceOrderTests {

    private static final int ONCE_A_CALL = 1;

    private static final int ONCE_AN_ATTEMPT = 3;

    private final ApplicationContextRunner runner = Applications.retrying();

    @AfterEach
    void logOut() {
        SecurityContextHolder.clearContext();
    }

    @Test
    void theOrderDecidesWhoIsFurtherOut() {
        runner.withUserConfiguration(Tracing.class)
                .withPropertyValues("retryon.order=10")
                .withBean(Traced.class)
                .run(context -> {
                    context.getBean(Traced.class).run();
                    assertThat(context.getBean("calls", AtomicInteger.class)).hasValue(ONCE_AN_ATTEMPT);
                });
        runner.withUserConfiguration(Tracing.class)
                .withPropertyValues("retryon.order=30")
                .withBean(Traced.class)
                .run(context -> {
                    context.getBean(Traced.class).run();
                    assertThat(context.getBean("calls", AtomicInteger.class)).hasValue(ONCE_A_CALL);
                });
    }

    @Test
    void cacheLookUpsOnceAnAttempt() {
        runner.withUserConfiguration(Caching.class).withBean(Prices.class).run(context -> {
            Prices prices = context.getBean(Prices.class);
            CountingCaches caches = context.getBean(CountingCaches.class);
            assertThat(prices.priceOf("tea")).isEqualTo("tea: 3");
            assertThat(caches.lookUps).hasValue(ONCE_AN_ATTEMPT);
            assertThat(prices.priceOf("tea")).as("cached").isEqualTo("tea: 3");
            assertThat(caches.lookUps).as("a hit is one attempt").hasValue(4); // 3 + 1
            assertThat(advisors(prices)).isEqualTo(2);
        });
    }

    @Test
    void cacheLookUpsOnceACallIfTheCacheIsGivenALowerOrder() {
        runner.withUserConfiguration(CachingFirst.class).withBean(Prices.class).run(context -> {
            assertThat(context.getBean(Prices.class).priceOf("tea")).isEqualTo("tea: 3");
            assertThat(context.getBean(CountingCaches.class).lookUps).hasValue(ONCE_A_CALL);
        });
    }

    @Test
    void methodSecurityOnceACall() {
        runner.withUserConfiguration(Security.class).withBean(Vault.class).run(context -> {
            Vault vault = context.getBean(Vault.class);
            SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("ann", "", "TELLER"));
            vault.open();
            Guard guard = context.getBean(Guard.class);
            assertThat(guard.asked).hasValue(ONCE_A_CALL);
            SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("bob", "", "GUEST"));
            assertThatThrownBy(vault::open).isInstanceOf(AccessDeniedException.class);
            assertThat(guard.asked)
                    .as("no retry although every RuntimeException is retried")
                    .hasValue(2); // 1 + 1
            assertThat(vault.calls()).isEqualTo(3);
        });
    }

    @Test
    void asyncOnceACallAndTheRetriesOnItsThread() {
        runner.withUserConfiguration(Asynchronous.class).withBean(Mailer.class).run(context -> {
            Mailer mailer = context.getBean(Mailer.class);
            mailer.send();
            assertThat(mailer.sent().get())
                    .as("three attempts, all on the one thread that @Async chose")
                    .hasSize(ONCE_AN_ATTEMPT)
                    .doesNotContain(Thread.currentThread())
                    .containsOnly(mailer.sent().get().get(0));
        });
    }

    @Test
    void annotationsOfMicrometerOnceAnAttempt() {
        runner.withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class,
                        MetricsAutoConfiguration.class,
                        MetricsAspectsAutoConfiguration.class,
                        ObservationAutoConfiguration.class))
                .withPropertyValues("management.observations.annotations.enabled=true")
                .withBean(SimpleMeterRegistry.class)
                .withBean(Measured.class)
                .run(context -> {
                    context.getBean(Measured.class).run();
                    MeterRegistry meters = context.getBean(MeterRegistry.class);
                    assertThat(meters.get("timed").timers().stream()
                                    .mapToLong(Timer::count)
                                    .sum())
                            .isEqualTo(ONCE_AN_ATTEMPT);
                    assertThat(meters.get("counted").counters().stream()
                                    .mapToDouble(Counter::count)
                                    .sum())
                            .isEqualTo(ONCE_AN_ATTEMPT);
                    assertThat(meters.get("observed").timers().stream()
                                    .mapToLong(Timer::count)
                                    .sum())
                            .isEqualTo(ONCE_AN_ATTEMPT);
                });
    }

    private static int advisors(Object bean) {
        Advisor[] advisors = ((Advised) bean).getAdvisors();
        assertThat(advisors).filteredOn(RetryAdvisor.class::isInstance).hasSize(1);
        return (int) Arrays.stream(advisors)
                .filter(advisor -> !advisor.getAdvice().getClass().getName().contains("ExposeInvocation"))
                .count();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    static class Caching {

        @Bean
        CountingCaches cacheManager() {
            return new CountingCaches();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableCaching(order = 0)
    static class CachingFirst {

        @Bean
        CountingCaches cacheManager() {
            return new CountingCaches();
        }
    }

    static class CountingCaches extends ConcurrentMapCacheManager {

        final AtomicInteger lookUps = new AtomicInteger();

        @Override
        protected Cache createConcurrentMapCache(String name) {
            return new ConcurrentMapCache(name) {
                @Override
                protected Object lookup(Object key) {
                    lookUps.incrementAndGet();
                    return super.lookup(key);
                }
            };
        }
    }

    static class Prices {

        private int calls;

        @RetryOn(IOException.class)
        @Cacheable("prices")
        public String priceOf(String article) throws IOException {
            if (++calls < 3) {
                throw new IOException();
            }
            return article + ": " + calls;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity
    static class Security {

        @Bean
        Guard guard() {
            return new Guard();
        }
    }

    static class Guard {

        final AtomicInteger asked = new AtomicInteger();

        public boolean admits(String name) {
            asked.incrementAndGet();
            return name.equals("ann");
        }
    }

    static class Vault {

        private int calls;

        int calls() {
            return calls;
        }

        @RetryOn(RuntimeException.class)
        @PreAuthorize("@guard.admits(authentication.name)")
        public void open() {
            if (++calls < 3) {
                throw new IllegalStateException();
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Asynchronous {}

    static class Mailer {

        private final List<Thread> threads = new CopyOnWriteArrayList<>();

        private final CompletableFuture<List<Thread>> sent = new CompletableFuture<>();

        CompletableFuture<List<Thread>> sent() {
            return sent;
        }

        @Async
        @RetryOn(IOException.class)
        public void send() throws IOException {
            threads.add(Thread.currentThread());
            if (threads.size() < 3) {
                throw new IOException();
            }
            sent.complete(threads);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Tracing {

        @Bean
        AtomicInteger calls() {
            return new AtomicInteger();
        }

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static DefaultPointcutAdvisor tracingAdvisor(AtomicInteger calls) {
            MethodInterceptor advice = invocation -> {
                calls.incrementAndGet();
                return invocation.proceed();
            };
            DefaultPointcutAdvisor advisor =
                    new DefaultPointcutAdvisor(AnnotationMatchingPointcut.forMethodAnnotation(Trace.class), advice);
            advisor.setOrder(20);
            return advisor;
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Trace {}

    static class Traced {

        private int calls;

        @Trace
        @RetryOn(IOException.class)
        public void run() throws IOException {
            if (++calls < 3) {
                throw new IOException();
            }
        }
    }

    static class Measured {

        private int calls;

        @Timed("timed")
        @Counted("counted")
        @Observed(name = "observed")
        @RetryOn(IOException.class)
        public void run() throws IOException {
            if (++calls < 3) {
                throw new IOException();
            }
        }
    }
}
