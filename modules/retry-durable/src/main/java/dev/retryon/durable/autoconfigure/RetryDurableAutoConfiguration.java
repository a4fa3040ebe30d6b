// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import dev.retryon.durable.internal.call.DurableCalls;
import dev.retryon.durable.internal.call.DurableLifecycle;
import dev.retryon.durable.internal.call.WaitingCalls;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.letter.DeadLetterOffice;
import dev.retryon.durable.internal.letter.Resending;
import dev.retryon.spring.internal.expression.RetryExpressions;
import dev.retryon.spring.internal.policy.RetryFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import tools.jackson.databind.json.JsonMapper;

/**
 * Auto-configuration of calls that survive the process. Its beans are created when a method needs them.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = {RetryStoreAutoConfiguration.class, RetryDeadLetterAutoConfiguration.class})
@ConditionalOnClass(JsonMapper.class)
@ConditionalOnBean(name = "retryOnSurroundings", value = CallEngine.class, search = SearchStrategy.CURRENT)
public final class RetryDurableAutoConfiguration {

    /** Creates the auto-configuration. */
    public RetryDurableAutoConfiguration() {}

    @Bean
    @Lazy
    DurableCalls retryOnDurableCalls(
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<CallEngine> engine,
            DeadLetterOffice.Parts retryOnDeadLetterParts,
            RetryDurableProperties retryOnDurableProperties,
            RetryDeadLetterProperties retryOnDeadLetterProperties,
            ObjectProvider<DurableLifecycle> lifecycle) {
        return new DurableCalls(
                engine::getObject,
                retryOnDeadLetterParts,
                retryOnDurableProperties.toSettings(retryOnDeadLetterProperties.getMaxArgumentsSize()),
                new RetryExpressions(beanFactory),
                () -> lifecycle.getObject().need());
    }

    @Bean(RetryDeadLetterAutoConfiguration.RESENDING)
    @Lazy
    Resending retryOnResending(DurableCalls retryOnDurableCalls) {
        return retryOnDurableCalls.resending();
    }

    @Bean
    @Lazy
    WaitingCalls retryOnWaitingCalls(DurableCalls retryOnDurableCalls) {
        return new WaitingCalls(retryOnDurableCalls);
    }

    @Bean(RetryDeadLetterAutoConfiguration.LIFECYCLE)
    DurableLifecycle retryOnDurableLifecycle(
            ObjectProvider<DurableCalls> calls,
            ConfigurableListableBeanFactory beanFactory,
            RetryDurableProperties retryOnDurableProperties) {
        return new DurableLifecycle(
                calls::getObject,
                () -> RetryFactory.engineOf(beanFactory),
                retryOnDurableProperties.getPollInterval(),
                retryOnDurableProperties.getHeartbeatInterval(),
                retryOnDurableProperties.lanes().runsCalls());
    }
}
