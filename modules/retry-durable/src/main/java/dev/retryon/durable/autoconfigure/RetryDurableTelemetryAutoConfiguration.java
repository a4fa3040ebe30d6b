// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import dev.retryon.RetryListener;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.actuate.DeadLettersHealthIndicator;
import dev.retryon.durable.internal.actuate.DurableCallsHealthIndicator;
import dev.retryon.durable.internal.actuate.StoredCallCounts;
import dev.retryon.durable.internal.actuate.StoredCallsEndpoint;
import dev.retryon.durable.internal.actuate.StoredCallsEndpointWebExtension;
import dev.retryon.durable.internal.call.DurableCalls;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.observe.StoreMeters;
import dev.retryon.durable.internal.observe.StoreReadings;
import dev.retryon.spring.autoconfigure.RetryEndpointAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryMetricsAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryTelemetryAutoConfiguration;
import dev.retryon.spring.module.EndpointRequest;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.RecentCounts.StoredCounts;
import dev.retryon.spring.module.RetriedMethods;
import dev.retryon.spring.module.SettingsChanges;
import dev.retryon.spring.module.ShownValues;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/**
 * Auto-configuration of the actuator endpoint, the health and the meters of durable calls and dead letters.
 *
 * @since 0.1.0
 */
@AutoConfiguration(
        after = {
            RetryEndpointAutoConfiguration.class,
            RetryMetricsAutoConfiguration.class,
            RetryTelemetryAutoConfiguration.class,
            RetryDurableAutoConfiguration.class
        })
@ConditionalOnBean(name = "retryOnStoreReadings", search = SearchStrategy.CURRENT)
public final class RetryDurableTelemetryAutoConfiguration {

    /** Creates the auto-configuration. */
    public RetryDurableTelemetryAutoConfiguration() {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    @ConditionalOnBean(
            value = {EndpointRequest.Advisor.class, StoredCalls.class},
            search = SearchStrategy.CURRENT)
    @ConditionalOnAvailableEndpoint(StoredCallsEndpoint.class)
    static class EndpointConfiguration {

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

    /** The health of durable calls, and of dead letters if their maximum number or age is set. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    static class HealthConfiguration {

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnBean(value = CallStore.class, search = SearchStrategy.CURRENT)
        @ConditionalOnEnabledHealthIndicator("retryondeadletters")
        @Conditional(OnThreshold.class)
        static class DeadLettersConfiguration {

            @Bean
            @ConditionalOnMissingBean(value = DeadLettersHealthIndicator.class, search = SearchStrategy.CURRENT)
            DeadLettersHealthIndicator retryOnDeadLettersHealthIndicator(
                    StoreReadings retryOnStoreReadings, RetryDeadLetterProperties retryOnDeadLetterProperties) {
                RetryDeadLetterProperties.Health health = retryOnDeadLetterProperties.health();
                return new DeadLettersHealthIndicator(
                        retryOnStoreReadings, health.maxCount(), health.maxAge(), Clock.systemUTC());
            }
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnBean(name = RetryDurableAutoConfiguration.LIFECYCLE, search = SearchStrategy.CURRENT)
        @ConditionalOnEnabledHealthIndicator("retryondurablecalls")
        static class DurableCallsConfiguration {

            @Bean
            @ConditionalOnMissingBean(value = DurableCallsHealthIndicator.class, search = SearchStrategy.CURRENT)
            DurableCallsHealthIndicator retryOnDurableCallsHealthIndicator(
                    ObjectProvider<CallEngine> engine,
                    StoreReadings retryOnStoreReadings,
                    RetryDurableProperties retryOnDurableProperties) {
                return new DurableCallsHealthIndicator(
                        engine::getObject,
                        retryOnStoreReadings,
                        retryOnDurableProperties.unresolvedAfter(),
                        Clock.systemUTC());
            }
        }

        static final class OnThreshold extends AnyNestedCondition {

            OnThreshold() {
                super(ConfigurationPhase.REGISTER_BEAN);
            }

            @ConditionalOnProperty("retryon.dead-letter.health.max-count")
            static final class OnMaxCount {}

            @ConditionalOnProperty("retryon.dead-letter.health.max-age")
            static final class OnMaxAge {}
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    @ConditionalOnBean(name = "retryOnMeters", search = SearchStrategy.CURRENT)
    static class MetricsConfiguration {

        @Bean
        RetryListener retryOnStoreMeters(
                ConfigurableListableBeanFactory beanFactory,
                ObjectProvider<MeterRegistry> registry,
                RetriedMethods retryOnNamedRetries,
                StoreReadings retryOnStoreReadings,
                RetryDurableProperties retryOnDurableProperties,
                ExtensionErrors retryOnExtensionErrors) {
            return new StoreMeters(
                    registry,
                    retryOnNamedRetries,
                    retryOnStoreReadings,
                    retryOnDurableProperties.toLanes().names(),
                    beanFactory.containsBeanDefinition(RetryDurableAutoConfiguration.CALL_STORE)
                            && beanFactory.containsBeanDefinition(RetryDurableAutoConfiguration.LIFECYCLE),
                    retryOnExtensionErrors);
        }
    }
}
