// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.RetryListener;
import dev.retryon.spring.internal.observe.RetryMeters;
import dev.retryon.spring.internal.policy.NamedRetries;
import dev.retryon.spring.internal.policy.RetryBudgets;
import dev.retryon.spring.module.ExtensionErrors;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the meters of retried calls.
 *
 * @since 0.1.0
 */
@AutoConfiguration(
        after = RetryAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({NamedRetries.class, MeterRegistry.class})
@ConditionalOnBooleanProperty(name = "retryon.metrics.enabled", matchIfMissing = true)
public final class RetryMetricsAutoConfiguration {

    /** Creates the auto-configuration. */
    public RetryMetricsAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(name = "retryOnMeters", search = SearchStrategy.CURRENT)
    RetryListener retryOnMeters(
            ObjectProvider<MeterRegistry> registry,
            NamedRetries retryOnNamedRetries,
            ObjectProvider<RetryBudgets> budgets,
            ExtensionErrors retryOnExtensionErrors) {
        return new RetryMeters(registry, retryOnNamedRetries, budgets, retryOnExtensionErrors);
    }
}
