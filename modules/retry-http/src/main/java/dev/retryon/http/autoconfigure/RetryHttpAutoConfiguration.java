// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http.autoconfigure;

import dev.retryon.RetryHintResolver;
import dev.retryon.RetryPolicy;
import dev.retryon.http.HttpRetry;
import dev.retryon.http.HttpRetryAssembler;
import dev.retryon.http.RetryClientHttpRequestInterceptor;
import dev.retryon.http.RetryExchangeFilterFunction;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.module.ClientRetries;
import dev.retryon.spring.module.RetriedMethods;
import dev.retryon.spring.module.RetryFaults;
import io.micrometer.observation.ObservationRegistry;
import java.time.Clock;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.RestTemplateCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.client.RestClientResponseException;
import org.springframework.web.client.support.RestClientHttpServiceGroupConfigurer;
import org.springframework.web.reactive.function.client.WebClient;

/**
 * Auto-configuration of retries of HTTP requests, and of the waits that servers request. The interceptor and the
 * filter that retry requests are created on first use, by a customizer in this class, or when your code adds them
 * to a client.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = RetryAutoConfiguration.class)
@ConditionalOnClass(RestClientResponseException.class)
@EnableConfigurationProperties(RetryHttpProperties.class)
public final class RetryHttpAutoConfiguration {

    /** Creates the auto-configuration. */
    public RetryHttpAutoConfiguration() {}

    /** This bean is never lazy, because faults in properties are reported at start-up. */
    @Bean
    @Lazy(false)
    @ConditionalOnBean(value = ClientRetries.class, search = SearchStrategy.CURRENT)
    static HttpRetryAssembler retryOnHttpAssembler(
            RetryHttpProperties http, ClientRetries retryOnMethodResolver, RetryFaults retryOnFaults) {
        return new HttpRetryAssembler(
                http.policy(),
                http.statuses(),
                http.methods(),
                http.idempotencyKeyHeader(),
                http.idempotencyKey() == RetryHttpProperties.IdempotencyKey.GENERATE,
                retryOnMethodResolver,
                retryOnFaults);
    }

    @Bean
    @Lazy
    @ConditionalOnMissingBean(value = HttpRetry.class, search = SearchStrategy.CURRENT)
    @ConditionalOnBean(value = ClientRetries.class, search = SearchStrategy.CURRENT)
    static HttpRetry retryOnHttp(
            HttpRetryAssembler retryOnHttpAssembler,
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<ObservationRegistry> observations) {
        return retryOnHttpAssembler.assemble(RetriedMethods.engineOf(beanFactory), observations::getIfUnique);
    }

    /** Exists even with {@code retryon.enabled=false}, because code can inject this bean, which then retries nothing. */
    @Bean
    @Lazy
    @ConditionalOnMissingBean(
            value = {HttpRetry.class, ClientRetries.class},
            search = SearchStrategy.CURRENT)
    static HttpRetry retryOnHttpOff() {
        return HttpRetry.builder()
                .policy(RetryPolicy.builder().retryable(false).build())
                .build();
    }

    @Bean
    @Fallback
    @Lazy
    @ConditionalOnMissingBean(value = RetryClientHttpRequestInterceptor.class, search = SearchStrategy.CURRENT)
    static RetryClientHttpRequestInterceptor retryOnClientHttpRequestInterceptor(HttpRetry retryOnHttp) {
        return new RetryClientHttpRequestInterceptor(retryOnHttp);
    }

    @Bean
    @Order(Ordered.LOWEST_PRECEDENCE)
    static RetryHintResolver retryOnHttpHintResolver() {
        return HttpRetry.hintResolver(Clock.systemUTC());
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RestClientCustomizer.class)
    @ConditionalOnBean(value = ClientRetries.class, search = SearchStrategy.CURRENT)
    @ConditionalOnBooleanProperty("retryon.http.enabled")
    static class BuilderConfiguration {

        @Bean
        @Order(Ordered.LOWEST_PRECEDENCE)
        static RestClientCustomizer retryOnRestClientCustomizer(RetryClientHttpRequestInterceptor interceptor) {
            return builder -> builder.requestInterceptors(interceptor::addFirst);
        }

        @Bean
        @Order(Ordered.LOWEST_PRECEDENCE)
        static RestTemplateCustomizer retryOnRestTemplateCustomizer(RetryClientHttpRequestInterceptor interceptor) {
            return template -> interceptor.addFirst(template.getInterceptors());
        }

        /** Runs after Spring Boot's configurer, which applies the customizers without the names of groups. */
        @Bean
        @Order(Ordered.LOWEST_PRECEDENCE)
        static RestClientHttpServiceGroupConfigurer retryOnHttpServiceGroupConfigurer() {
            return groups -> groups.forEachClient((group, builder) ->
                    builder.requestInterceptors(interceptors -> interceptors.replaceAll(
                            interceptor -> interceptor instanceof RetryClientHttpRequestInterceptor retrying
                                    ? retrying.named(group.name())
                                    : interceptor)));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(WebClient.class)
    static class WebClientConfiguration {

        @Bean
        @Fallback
        @Lazy
        @ConditionalOnMissingBean(value = RetryExchangeFilterFunction.class, search = SearchStrategy.CURRENT)
        static RetryExchangeFilterFunction retryOnExchangeFilterFunction(HttpRetry retryOnHttp) {
            return new RetryExchangeFilterFunction(retryOnHttp);
        }
    }
}
