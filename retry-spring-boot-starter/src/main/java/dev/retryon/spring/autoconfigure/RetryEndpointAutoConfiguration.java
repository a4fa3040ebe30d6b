// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.internal.actuate.RetryOnEndpoint;
import dev.retryon.spring.internal.actuate.RetryOnEndpointWebExtension;
import dev.retryon.spring.internal.actuate.RetryOnEventsEndpoint;
import dev.retryon.spring.internal.actuate.RetryOnEventsEndpointWebExtension;
import dev.retryon.spring.internal.actuate.SettingsAudit;
import dev.retryon.spring.internal.control.RuntimeSettings;
import dev.retryon.spring.internal.policy.NamedRetries;
import dev.retryon.spring.internal.policy.RetryBudgets;
import dev.retryon.spring.internal.policy.RetryMethodResolver;
import dev.retryon.spring.module.ChangesForAllNodes;
import dev.retryon.spring.module.EndpointRequest;
import dev.retryon.spring.module.RecentCounts;
import dev.retryon.spring.module.SettingsChanges;
import dev.retryon.spring.module.ShownValues;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/**
 * Auto-configuration of the actuator endpoints for retried calls. The data of the endpoints is collected only
 * if they are exposed.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = RetryAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(name = "retryOnNamedRetries", search = SearchStrategy.CURRENT)
public final class RetryEndpointAutoConfiguration {

    /** Creates the auto-configuration. */
    public RetryEndpointAutoConfiguration() {}

    @Bean
    static EndpointRequest.Advisor retryOnEndpointRequestAdvisor() {
        return new EndpointRequest.Advisor();
    }

    @Bean
    @Lazy
    static SettingsChanges retryOnSettingsChanges(
            RuntimeSettings retryOnRuntimeSettings, ObjectProvider<ChangesForAllNodes> shared) {
        return new SettingsChanges(retryOnRuntimeSettings, shared.getIfUnique());
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnAvailableEndpoint(RetryOnEndpoint.class)
    static class RetriesConfiguration {

        @Bean
        @ConfigurationProperties("management.endpoint.retryon")
        ShownValues retryOnEndpointValues() {
            return new ShownValues();
        }

        @Bean
        @ConditionalOnMissingBean(value = RetryOnEndpoint.class, search = SearchStrategy.CURRENT)
        RetryOnEndpoint retryOnEndpoint(
                NamedRetries retryOnNamedRetries,
                RetryProperties retryOnProperties,
                RetryMethodResolver retryOnMethodResolver,
                RetryBudgets retryOnBudgets,
                ShownValues retryOnEndpointValues) {
            return new RetryOnEndpoint(
                    retryOnNamedRetries,
                    retryOnProperties.metrics().enabled(),
                    retryOnMethodResolver::configured,
                    retryOnBudgets,
                    retryOnEndpointValues.getShowValues());
        }

        @Bean
        @ConditionalOnMissingBean(value = RetryOnEndpointWebExtension.class, search = SearchStrategy.CURRENT)
        @ConditionalOnBean(value = RetryOnEndpoint.class, search = SearchStrategy.CURRENT)
        @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
        RetryOnEndpointWebExtension retryOnEndpointWebExtension(
                RetryOnEndpoint retryOnEndpoint,
                ShownValues retryOnEndpointValues,
                SettingsChanges retryOnSettingsChanges,
                ObjectProvider<RecentCounts> history) {
            return new RetryOnEndpointWebExtension(
                    retryOnEndpoint, retryOnEndpointValues, retryOnSettingsChanges, history.getIfUnique());
        }

        @Bean
        SettingsAudit retryOnSettingsAudit(ApplicationEventPublisher events) {
            return new SettingsAudit(events);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnAvailableEndpoint(RetryOnEventsEndpoint.class)
    static class RetryEventsConfiguration {

        @Bean
        @ConfigurationProperties("management.endpoint.retryonevents")
        ShownValues retryOnEventsEndpointValues() {
            return new ShownValues();
        }

        @Bean
        @ConditionalOnMissingBean(value = RetryOnEventsEndpoint.class, search = SearchStrategy.CURRENT)
        RetryOnEventsEndpoint retryOnEventsEndpoint(
                RetryProperties retryOnProperties,
                NamedRetries retryOnNamedRetries,
                ShownValues retryOnEventsEndpointValues) {
            RetryProperties.Events events = retryOnProperties.events();
            // An invalid capacity is reported with all other faults, which stop the application.
            return new RetryOnEventsEndpoint(
                    events.hasAllowedCapacity() ? events.capacity() : RetryOnEventsEndpoint.DEFAULT_CAPACITY,
                    retryOnNamedRetries,
                    retryOnEventsEndpointValues.getShowValues());
        }

        @Bean
        @ConditionalOnMissingBean(value = RetryOnEventsEndpointWebExtension.class, search = SearchStrategy.CURRENT)
        @ConditionalOnBean(value = RetryOnEventsEndpoint.class, search = SearchStrategy.CURRENT)
        @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
        RetryOnEventsEndpointWebExtension retryOnEventsEndpointWebExtension(
                RetryOnEventsEndpoint retryOnEventsEndpoint, ShownValues retryOnEventsEndpointValues) {
            return new RetryOnEventsEndpointWebExtension(retryOnEventsEndpoint, retryOnEventsEndpointValues);
        }
    }
}
