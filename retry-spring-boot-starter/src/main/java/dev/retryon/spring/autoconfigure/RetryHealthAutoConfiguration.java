/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.spring.actuate.DeadLettersHealthIndicator;
import dev.retryon.spring.observe.StoreReadings;
import java.time.Clock;
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

/**
 * Auto-configuration of the health of dead letters, where the operator says how many or how old they may be.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = {RetryDeadLetterAutoConfiguration.class, RetryTelemetryAutoConfiguration.class})
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(name = "retryOnMethods", value = DeadLetterStore.class, search = SearchStrategy.CURRENT)
@ConditionalOnEnabledHealthIndicator("retryondeadletters")
@Conditional(RetryHealthAutoConfiguration.OnThreshold.class)
public final class RetryHealthAutoConfiguration {

    /** Creates the auto-configuration. */
    public RetryHealthAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(value = DeadLettersHealthIndicator.class, search = SearchStrategy.CURRENT)
    DeadLettersHealthIndicator retryOnDeadLettersHealthIndicator(
            StoreReadings retryOnStoreReadings, RetryProperties retryOnProperties) {
        RetryDeadLetterProperties.Health health =
                retryOnProperties.getDeadLetter().getHealth();
        return new DeadLettersHealthIndicator(
                retryOnStoreReadings, health.getMaxCount(), health.getMaxAge(), Clock.systemUTC());
    }

    /** Some threshold is set. */
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
