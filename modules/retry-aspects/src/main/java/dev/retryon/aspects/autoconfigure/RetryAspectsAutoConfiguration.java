// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects.autoconfigure;

import dev.retryon.aspects.internal.WeavingCheck;
import dev.retryon.aspects.internal.WovenContext;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.module.Weaving;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of AspectJ mode. It connects the aspect with the application context, which retries woven methods
 * if {@code retryon.mode} is {@code aspectj}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = RetryAutoConfiguration.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class RetryAspectsAutoConfiguration {

    /** Creates the auto-configuration. */
    public RetryAspectsAutoConfiguration() {}

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static WovenContext retryOnWovenContext(ConfigurableListableBeanFactory beanFactory, Environment environment) {
        return WovenContext.start(beanFactory, Weaving.isOn(environment));
    }

    @Bean
    @Lazy
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static WeavingCheck retryOnWeaving(ConfigurableListableBeanFactory beanFactory) {
        return new WeavingCheck(beanFactory);
    }
}
