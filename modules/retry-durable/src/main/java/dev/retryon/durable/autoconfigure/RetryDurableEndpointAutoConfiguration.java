// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.actuate.StoredCallCounts;
import dev.retryon.durable.internal.actuate.StoredCallsEndpoint;
import dev.retryon.durable.internal.actuate.StoredCallsEndpointWebExtension;
import dev.retryon.durable.internal.call.DurableCalls;
import dev.retryon.spring.autoconfigure.RetryEndpointAutoConfiguration;
import dev.retryon.spring.module.EndpointRequest;
import dev.retryon.spring.module.RecentCounts.StoredCounts;
import dev.retryon.spring.module.RetriedMethods;
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

/**
 * Auto-configuration of the actuator endpoint of stored calls.
 *
 * @since 0.1.0
 */
@AutoConfiguration(
        after = {
            RetryEndpointAutoConfiguration.class,
            RetryDeadLetterAutoConfiguration.class,
            RetryDurableAutoConfiguration.class
        })
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(
        value = {EndpointRequest.Advisor.class, StoredCalls.class},
        search = SearchStrategy.CURRENT)
@ConditionalOnAvailableEndpoint(StoredCallsEndpoint.class)
public final class RetryDurableEndpointAutoConfiguration {

    /** Creates the auto-configuration. */
    public RetryDurableEndpointAutoConfiguration() {}

    @Bean
    @ConfigurationProperties("management.endpoint.retryoncalls")
    ShownValues retryOnCallsEndpointValues() {
        return new ShownValues();
    }

    /** Looks up the calls on demand, because an application without durable methods needs no store. */
    @Bean
    @ConditionalOnMissingBean(value = StoredCallsEndpoint.class, search = SearchStrategy.CURRENT)
    StoredCallsEndpoint retryOnCallsEndpoint(
            ObjectProvider<StoredCalls> calls,
            ObjectProvider<DurableCalls> durable,
            ShownValues retryOnCallsEndpointValues) {
        return new StoredCallsEndpoint(
                calls::getObject, durable::getObject, retryOnCallsEndpointValues.getShowValues());
    }

    @Bean
    StoredCounts retryOnStoredCounts(ObjectProvider<StoredCalls> calls, RetriedMethods retryOnNamedRetries) {
        return new StoredCallCounts(calls::getObject, retryOnNamedRetries);
    }

    @Bean
    @ConditionalOnMissingBean(value = StoredCallsEndpointWebExtension.class, search = SearchStrategy.CURRENT)
    @ConditionalOnBean(value = StoredCallsEndpoint.class, search = SearchStrategy.CURRENT)
    @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
    StoredCallsEndpointWebExtension retryOnCallsEndpointWebExtension(
            StoredCallsEndpoint retryOnCallsEndpoint,
            ShownValues retryOnCallsEndpointValues,
            SettingsChanges retryOnSettingsChanges,
            ApplicationEventPublisher events) {
        return new StoredCallsEndpointWebExtension(
                retryOnCallsEndpoint, retryOnCallsEndpointValues.getRoles(), retryOnSettingsChanges, events);
    }
}
