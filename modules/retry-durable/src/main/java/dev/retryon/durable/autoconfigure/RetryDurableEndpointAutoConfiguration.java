// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import dev.retryon.durable.DeadLetters;
import dev.retryon.durable.internal.actuate.DeadLettersEndpoint;
import dev.retryon.durable.internal.actuate.DeadLettersEndpointWebExtension;
import dev.retryon.durable.internal.actuate.DurableCallsEndpoint;
import dev.retryon.durable.internal.actuate.DurableCallsEndpointWebExtension;
import dev.retryon.durable.internal.call.WaitingCalls;
import dev.retryon.spring.autoconfigure.RetryEndpointAutoConfiguration;
import dev.retryon.spring.internal.actuate.EndpointRequest;
import dev.retryon.spring.internal.actuate.SettingsChanges;
import dev.retryon.spring.internal.actuate.ShownValues;
import dev.retryon.spring.internal.control.ChangesForAllNodes;
import dev.retryon.spring.internal.control.RuntimeSettings;
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

/**
 * Auto-configuration of the actuator endpoints of dead letters and durable calls.
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
@ConditionalOnBean(EndpointRequest.Advisor.class)
public final class RetryDurableEndpointAutoConfiguration {

    /** Creates the auto-configuration. */
    public RetryDurableEndpointAutoConfiguration() {}

    /** Dead letters: calls that have failed permanently. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(value = DeadLetters.class, search = SearchStrategy.CURRENT)
    @ConditionalOnAvailableEndpoint(DeadLettersEndpoint.class)
    static class DeadLettersConfiguration {

        @Bean
        @ConfigurationProperties("management.endpoint.deadletters")
        ShownValues retryOnDeadLettersEndpointValues() {
            return new ShownValues();
        }

        /** Looks up the dead letters on demand, because an application without dead letters needs no store. */
        @Bean
        @ConditionalOnMissingBean(value = DeadLettersEndpoint.class, search = SearchStrategy.CURRENT)
        DeadLettersEndpoint retryOnDeadLettersEndpoint(
                ObjectProvider<DeadLetters> letters, ShownValues retryOnDeadLettersEndpointValues) {
            return new DeadLettersEndpoint(letters::getObject, retryOnDeadLettersEndpointValues.getShowValues());
        }

        @Bean
        @ConditionalOnMissingBean(value = DeadLettersEndpointWebExtension.class, search = SearchStrategy.CURRENT)
        @ConditionalOnBean(value = DeadLettersEndpoint.class, search = SearchStrategy.CURRENT)
        @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
        DeadLettersEndpointWebExtension retryOnDeadLettersEndpointWebExtension(
                DeadLettersEndpoint retryOnDeadLettersEndpoint,
                ShownValues retryOnDeadLettersEndpointValues,
                ApplicationEventPublisher events) {
            return new DeadLettersEndpointWebExtension(
                    retryOnDeadLettersEndpoint, retryOnDeadLettersEndpointValues.getRoles(), events);
        }
    }

    /** Durable calls that wait. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(value = WaitingCalls.class, search = SearchStrategy.CURRENT)
    @ConditionalOnAvailableEndpoint(DurableCallsEndpoint.class)
    static class DurableCallsConfiguration {

        @Bean
        @ConfigurationProperties("management.endpoint.durablecalls")
        ShownValues retryOnDurableCallsEndpointValues() {
            return new ShownValues();
        }

        /** Looks up the calls on demand, because an application without durable methods needs no store. */
        @Bean
        @ConditionalOnMissingBean(value = DurableCallsEndpoint.class, search = SearchStrategy.CURRENT)
        DurableCallsEndpoint retryOnDurableCallsEndpoint(
                ObjectProvider<WaitingCalls> calls, ShownValues retryOnDurableCallsEndpointValues) {
            return new DurableCallsEndpoint(calls::getObject, retryOnDurableCallsEndpointValues.getShowValues());
        }

        @Bean
        @ConditionalOnMissingBean(value = DurableCallsEndpointWebExtension.class, search = SearchStrategy.CURRENT)
        @ConditionalOnBean(value = DurableCallsEndpoint.class, search = SearchStrategy.CURRENT)
        @ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
        DurableCallsEndpointWebExtension retryOnDurableCallsEndpointWebExtension(
                DurableCallsEndpoint retryOnDurableCallsEndpoint,
                ShownValues retryOnDurableCallsEndpointValues,
                RuntimeSettings retryOnRuntimeSettings,
                ObjectProvider<ChangesForAllNodes> shared,
                ApplicationEventPublisher events) {
            return new DurableCallsEndpointWebExtension(
                    retryOnDurableCallsEndpoint,
                    retryOnDurableCallsEndpointValues.getRoles(),
                    new SettingsChanges(retryOnRuntimeSettings, shared.getIfUnique()),
                    events);
        }
    }
}
