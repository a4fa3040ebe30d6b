/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.autoconfigure;

import com.github.kagkarlsson.scheduler.Scheduler;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.durable.CallEngine;
import dev.retryon.durable.internal.call.DurableCalls;
import dev.retryon.durable.internal.call.DurableLifecycle;
import dev.retryon.durable.internal.call.WaitingCalls;
import dev.retryon.durable.internal.context.Surroundings;
import dev.retryon.durable.internal.letter.StoredReplays;
import dev.retryon.durable.internal.store.StoreChoice;
import dev.retryon.durable.internal.stored.StoredArguments;
import dev.retryon.durable.internal.stored.StoredMethods;
import dev.retryon.spring.internal.expression.RetryExpressions;
import dev.retryon.spring.internal.policy.EngineOfContext;
import dev.retryon.spring.internal.report.ExtensionErrors;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import tools.jackson.databind.json.JsonMapper;

/**
 * Auto-configuration of calls that survive the process. Its beans are made when a method needs them.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = {RetryStoreAutoConfiguration.class, RetryDeadLetterAutoConfiguration.class})
@ConditionalOnClass({Scheduler.class, JsonMapper.class})
@ConditionalOnBean(value = StoreChoice.class, search = SearchStrategy.CURRENT)
public final class RetryDurableAutoConfiguration {

    /** As Spring Boot's. */
    private static final Duration DEFAULT_SHUTDOWN_TIMEOUT = Duration.ofSeconds(30);

    /** Creates the auto-configuration. */
    public RetryDurableAutoConfiguration() {}

    @Bean
    @Lazy
    @ConditionalOnMissingBean(value = CallEngine.class, search = SearchStrategy.CURRENT)
    CallEngine retryOnCallEngine(
            StoreChoice retryOnStoreChoice,
            RetryDurableProperties retryOnDurableProperties,
            ExtensionErrors retryOnExtensionErrors,
            Environment environment) {
        Duration shutdownTimeout = Binder.get(environment)
                .bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
                .orElse(DEFAULT_SHUTDOWN_TIMEOUT);
        return DurableCalls.engine(
                retryOnStoreChoice, retryOnDurableProperties.toEngineSettings(shutdownTimeout), retryOnExtensionErrors);
    }

    @Bean
    @Lazy
    DurableCalls retryOnDurableCalls(
            StoreChoice retryOnStoreChoice,
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<CallEngine> engine,
            StoredMethods retryOnStoredMethods,
            StoredArguments retryOnStoredArguments,
            ObjectProvider<DeadLetterStore> letters,
            Surroundings retryOnSurroundings,
            ExtensionErrors retryOnExtensionErrors,
            ApplicationEventPublisher events,
            RetryDurableProperties retryOnDurableProperties,
            RetryDeadLetterProperties retryOnDeadLetterProperties) {
        return new DurableCalls(
                retryOnStoreChoice,
                engine::getObject,
                retryOnStoredMethods,
                retryOnStoredArguments,
                letters::getObject,
                retryOnSurroundings,
                retryOnExtensionErrors,
                retryOnDurableProperties.toSettings(retryOnDeadLetterProperties.getMaxArgumentsSize()),
                events,
                new RetryExpressions(beanFactory));
    }

    @Bean(RetryDeadLetterAutoConfiguration.STORED_REPLAYS)
    @Lazy
    StoredReplays retryOnStoredReplays(DurableCalls retryOnDurableCalls) {
        return retryOnDurableCalls.replays();
    }

    @Bean
    @Lazy
    WaitingCalls retryOnWaitingCalls(
            DurableCalls retryOnDurableCalls,
            ObjectProvider<CallEngine> engine,
            ObjectProvider<DeadLetterStore> letters,
            ApplicationEventPublisher events) {
        return new WaitingCalls(retryOnDurableCalls, engine::getObject, letters::getObject, events);
    }

    @Bean
    DurableLifecycle retryOnDurableLifecycle(
            ObjectProvider<CallEngine> engine,
            ObjectProvider<DurableCalls> calls,
            ConfigurableListableBeanFactory beanFactory,
            RetryDurableProperties retryOnDurableProperties) {
        return new DurableLifecycle(
                engine::getObject,
                calls::getObject,
                () -> EngineOfContext.in(beanFactory),
                retryOnDurableProperties.getHeartbeatInterval(),
                retryOnDurableProperties.lanes().runsCalls());
    }
}
