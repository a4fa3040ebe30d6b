// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import dev.retryon.RetryListener;
import dev.retryon.durable.internal.observe.StoreMeters;
import dev.retryon.durable.internal.observe.StoreReadings;
import dev.retryon.spring.autoconfigure.RetryMetricsAutoConfiguration;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.RetriedMethods;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the gauges of dead letters and durable calls.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = {RetryMetricsAutoConfiguration.class, RetryDurableCoreAutoConfiguration.class})
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(
        name = {"retryOnMeters", "retryOnStoreReadings"},
        search = SearchStrategy.CURRENT)
public final class RetryDurableMetricsAutoConfiguration {

    /** Creates the auto-configuration. */
    public RetryDurableMetricsAutoConfiguration() {}

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
                beanFactory.containsBeanDefinition("retryOnCallStore")
                        && beanFactory.containsBeanDefinition(RetryDeadLetterAutoConfiguration.LIFECYCLE),
                retryOnExtensionErrors);
    }
}
