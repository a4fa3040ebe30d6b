/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.aspects.autoconfigure;

import dev.retryon.aspects.internal.WovenContext;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.internal.settings.ConfiguredLayers;
import dev.retryon.spring.internal.settings.RetryMode;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Role;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Auto-configuration of AspectJ mode: connects the aspect with the application context if {@code retryon.mode} is {@code
 * aspectj}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = RetryAutoConfiguration.class)
@ConditionalOnBean(value = ConfiguredLayers.class, search = SearchStrategy.CURRENT)
@Conditional(RetryAspectsAutoConfiguration.OnAspectJMode.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class RetryAspectsAutoConfiguration {

    /** Creates the auto-configuration. */
    public RetryAspectsAutoConfiguration() {}

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static WovenContext retryOnWovenContext(ConfigurableListableBeanFactory beanFactory) {
        return WovenContext.start(beanFactory);
    }

    /** Reads every spelling of the mode that binding reads. */
    static final class OnAspectJMode implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return RetryMode.of(context.getEnvironment()) == RetryMode.ASPECTJ;
        }
    }
}
