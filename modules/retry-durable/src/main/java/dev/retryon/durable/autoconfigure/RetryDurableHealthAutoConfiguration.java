// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import dev.retryon.durable.internal.actuate.DeadLettersHealthIndicator;
import dev.retryon.durable.internal.actuate.DurableCallsHealthIndicator;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.observe.StoreReadings;
import dev.retryon.spring.autoconfigure.RetryTelemetryAutoConfiguration;
import java.time.Clock;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/**
 * Auto-configuration of the health of durable calls, and of dead letters if their maximum number or age is set.
 *
 * @since 0.1.0
 */
@AutoConfiguration(
        after = {
            RetryDeadLetterAutoConfiguration.class,
            RetryDurableAutoConfiguration.class,
            RetryDurableCoreAutoConfiguration.class,
            RetryTelemetryAutoConfiguration.class
        })
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(name = "retryOnStoreReadings", search = SearchStrategy.CURRENT)
public final class RetryDurableHealthAutoConfiguration {

    /** Creates the auto-configuration. */
    public RetryDurableHealthAutoConfiguration() {}

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
    @ConditionalOnBean(name = "retryOnDurableLifecycle", search = SearchStrategy.CURRENT)
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
