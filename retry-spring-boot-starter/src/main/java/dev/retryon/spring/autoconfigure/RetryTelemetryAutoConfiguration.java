// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.RetryListener;
import dev.retryon.spring.internal.observe.RetryEventPublisher;
import dev.retryon.spring.internal.observe.RetryLogger;
import dev.retryon.spring.internal.observe.RetryObservations;
import dev.retryon.spring.internal.policy.NamedRetries;
import dev.retryon.spring.module.ExtensionErrors;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Auto-configuration of logs, application events and observations of retried calls.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = RetryAutoConfiguration.class)
@ConditionalOnBean(name = "retryOnNamedRetries", search = SearchStrategy.CURRENT)
public final class RetryTelemetryAutoConfiguration {

    /** Creates the auto-configuration. */
    public RetryTelemetryAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(name = "retryOnLogger", search = SearchStrategy.CURRENT)
    RetryListener retryOnLogger(
            RetryProperties retryOnProperties,
            NamedRetries retryOnNamedRetries,
            ExtensionErrors retryOnExtensionErrors) {
        return new RetryLogger(retryOnProperties.log().interval(), retryOnNamedRetries.names(), retryOnExtensionErrors);
    }

    @Bean
    @ConditionalOnMissingBean(name = "retryOnEventPublisher", search = SearchStrategy.CURRENT)
    RetryListener retryOnEventPublisher(ApplicationContext context, ExtensionErrors retryOnExtensionErrors) {
        return new RetryEventPublisher(context, retryOnExtensionErrors);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ObservationRegistry.class)
    static class ObservationConfiguration {

        @Bean
        @ConditionalOnMissingBean(name = "retryOnObservations", search = SearchStrategy.CURRENT)
        RetryListener retryOnObservations(
                ObjectProvider<ObservationRegistry> registry, ExtensionErrors retryOnExtensionErrors) {
            return new RetryObservations(registry, retryOnExtensionErrors);
        }
    }
}
