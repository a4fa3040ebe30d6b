// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.ComposablePointcut;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Role;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Prevents the retries of a parent context in a child context that has {@code retryon.enabled=false}. Spring applies
 * the advisors of a parent to the beans of its children, unless a child has a bean of the same name.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "retryon.enabled", havingValue = false)
@Conditional(RetryOffAutoConfiguration.OnRetryingParent.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class RetryOffAutoConfiguration {

    private static final String ADVISOR = "retryOnAdvisor";

    /** Creates the auto-configuration. */
    public RetryOffAutoConfiguration() {}

    @Bean(name = ADVISOR, defaultCandidate = false)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor retryOnAdvisor() {
        return new DefaultPointcutAdvisor(new ComposablePointcut(type -> false), Advisor.EMPTY_ADVICE);
    }

    /** {@code SearchStrategy.ANCESTORS} cannot express this condition, because it fails in a context without a parent. */
    static final class OnRetryingParent implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            ConfigurableListableBeanFactory beanFactory = context.getBeanFactory();
            BeanFactory parent = beanFactory == null ? null : beanFactory.getParentBeanFactory();
            return parent != null && parent.containsBean(ADVISOR);
        }
    }
}
