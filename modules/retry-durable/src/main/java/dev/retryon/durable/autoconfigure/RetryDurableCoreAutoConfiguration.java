// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import dev.retryon.durable.internal.call.DurableCalls;
import dev.retryon.durable.internal.call.OpenBreakers;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.invocation.StoredMethods;
import dev.retryon.durable.internal.observe.StoreReadings;
import dev.retryon.spring.RetryEngineCustomizer;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.MethodsCheck;
import dev.retryon.spring.module.RetriedMethods;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;

/**
 * Auto-configuration of the properties and checks of durable calls and dead letters. It applies with or without a
 * store.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = RetryAutoConfiguration.class)
@ConditionalOnBean(name = "retryOnNamedRetries", search = SearchStrategy.CURRENT)
@EnableConfigurationProperties({RetryDurableProperties.class, RetryDeadLetterProperties.class, RetryJdbcProperties.class
})
public final class RetryDurableCoreAutoConfiguration {

    /** Creates the auto-configuration. */
    public RetryDurableCoreAutoConfiguration() {}

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static StoredMethods retryOnStoredMethods(
            ConfigurableListableBeanFactory beanFactory,
            RetriedMethods retryOnNamedRetries,
            RetryDeadLetterProperties retryOnDeadLetterProperties) {
        return new StoredMethods(beanFactory, retryOnNamedRetries, retryOnDeadLetterProperties.aliases());
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static MethodsCheck retryOnDurableCheck(
            ConfigurableListableBeanFactory beanFactory,
            RetryDeadLetterProperties retryOnDeadLetterProperties,
            RetryJdbcProperties retryOnJdbcProperties) {
        return new DurableStartCheck(beanFactory, retryOnDeadLetterProperties, retryOnJdbcProperties);
    }

    @Bean
    @Lazy
    static StoreReadings retryOnStoreReadings(
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<CallStore> letters,
            ObjectProvider<DurableCalls> durable,
            ExtensionErrors retryOnExtensionErrors) {
        return new StoreReadings(
                letters::getObject,
                durable::getObject,
                () -> RetriedMethods.engineOf(beanFactory).isClosed(),
                retryOnExtensionErrors);
    }

    /** Lets durable calls wait until a circuit breaker closes. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(CircuitBreakerRegistry.class)
    static class BreakerConfiguration {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static RetryEngineCustomizer retryOnOpenBreakers(ObjectProvider<CircuitBreakerRegistry> registries) {
            return engine -> engine.hintResolver(new OpenBreakers(registries::stream));
        }
    }
}
