/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.DeadLetterQueue;
import dev.retryon.FailedCall;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.spring.DeadLetters;
import dev.retryon.spring.RetryEngineCustomizer;
import dev.retryon.spring.codec.Codec;
import dev.retryon.spring.codec.StoredArguments;
import dev.retryon.spring.context.CallContexts;
import dev.retryon.spring.context.Surroundings;
import dev.retryon.spring.deadletter.DeadLetterOffice;
import dev.retryon.spring.deadletter.StoredReplays;
import dev.retryon.spring.method.MethodsCheck;
import dev.retryon.spring.method.StoredMethods;
import dev.retryon.spring.settings.LookUp;
import dev.retryon.spring.settings.RuntimeFaults;
import io.micrometer.observation.ObservationRegistry;
import java.time.Clock;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import tools.jackson.databind.json.JsonMapper;

/**
 * Auto-configuration of dead letters, where there is a store that they can be kept in. Nothing is made before a method, a
 * failed call or the application asks for it.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = {RetryAutoConfiguration.class, RetryStoreAutoConfiguration.class})
@ConditionalOnBean(name = "retryOnMethods", value = DeadLetterStore.class, search = SearchStrategy.CURRENT)
public final class RetryDeadLetterAutoConfiguration {

    static final String STORED_REPLAYS = "retryOnStoredReplays";

    /** Creates the auto-configuration. */
    public RetryDeadLetterAutoConfiguration() {}

    /** Before those of the application, which may have another queue. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    @Order(Ordered.HIGHEST_PRECEDENCE)
    static RetryEngineCustomizer retryOnDeadLetterCustomizer(ObjectProvider<DeadLetterOffice> office) {
        return engine -> engine.deadLetters(new OfficeQueue(office));
    }

    /** Makes the office when the first call has failed. */
    private record OfficeQueue(ObjectProvider<DeadLetterOffice> office) implements DeadLetterQueue {

        @Override
        public void add(FailedCall call) throws Exception {
            office.getObject().queue().add(call);
        }
    }

    /** Looks at nothing if the application keeps calls in its own way. */
    @Bean
    static MethodsCheck retryOnDeadLetterCheck(
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<DeadLetterStore> stores,
            ObjectProvider<StoredArguments> storedArguments) {
        return (methods, faults) -> {
            if (EngineOfContext.in(beanFactory).deadLetters() instanceof OfficeQueue) {
                DeadLetterOffice.check(stores::getObject, storedArguments::getObject)
                        .check(methods, faults);
            }
        };
    }

    @Bean
    @Lazy
    StoredArguments retryOnStoredArguments(ObjectProvider<Codec> codecs, RetryProperties retryOnProperties) {
        return new StoredArguments(
                new LookUp<>(codecs::getIfAvailable),
                retryOnProperties.getDeadLetter().getMaxArgumentsSize().toBytes());
    }

    @Bean
    @Lazy
    DeadLetterOffice retryOnDeadLetterOffice(
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<DeadLetterStore> stores,
            StoredMethods retryOnStoredMethods,
            StoredArguments retryOnStoredArguments,
            Surroundings retryOnSurroundings,
            RuntimeFaults retryOnRuntimeFaults,
            ApplicationEventPublisher events,
            RetryProperties retryOnProperties) {
        return new DeadLetterOffice(
                new DeadLetterOffice.Parts(
                        stores::getObject,
                        retryOnStoredMethods,
                        retryOnStoredArguments,
                        retryOnSurroundings,
                        retryOnRuntimeFaults,
                        events,
                        new LookUp<>(() -> storedReplays(beanFactory))),
                retryOnProperties.getDeadLetter().getTimeout(),
                EngineOfContext.in(beanFactory)::isClosed,
                Clock.systemUTC());
    }

    /** Not that of a parent context, which has another store of dead letters. */
    private static @Nullable StoredReplays storedReplays(ConfigurableListableBeanFactory beanFactory) {
        return beanFactory.containsLocalBean(STORED_REPLAYS)
                ? beanFactory.getBean(STORED_REPLAYS, StoredReplays.class)
                : null;
    }

    @Bean
    @Lazy
    @ConditionalOnMissingBean(value = DeadLetters.class, search = SearchStrategy.CURRENT)
    DeadLetters retryOnDeadLetters(DeadLetterOffice retryOnDeadLetterOffice) {
        return retryOnDeadLetterOffice.letters();
    }

    @Bean
    SmartLifecycle retryOnDeadLetterRetention(
            ObjectProvider<DeadLetterStore> stores,
            RetryProperties retryOnProperties,
            RuntimeFaults retryOnRuntimeFaults) {
        RetryDeadLetterProperties.Retention retention =
                retryOnProperties.getDeadLetter().getRetention();
        return DeadLetterOffice.retention(
                retention.getMaxAge(), retention.getMaxCount(), stores::getObject, retryOnRuntimeFaults);
    }

    @Bean
    @Lazy
    Surroundings retryOnSurroundings(ObjectProvider<CallContexts> contexts, RuntimeFaults retryOnRuntimeFaults) {
        return new Surroundings(new LookUp<>(() -> contexts.orderedStream().toList()), retryOnRuntimeFaults);
    }

    @Bean
    @Lazy
    @Order(0)
    CallContexts retryOnLogContexts() {
        return CallContexts.log();
    }

    /** What is made later is part of the trace of the one who asked for the call. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ObservationRegistry.class)
    static class ObservationConfiguration {

        @Bean
        @Lazy
        @Order(1)
        CallContexts retryOnObservedContexts(ObjectProvider<ObservationRegistry> registry) {
            return CallContexts.traces(() -> registry.getIfUnique(() -> ObservationRegistry.NOOP));
        }
    }

    /** Arguments as JSON. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(JsonMapper.class)
    static class JacksonConfiguration {

        @Bean
        @Lazy
        @ConditionalOnMissingBean(value = Codec.class, search = SearchStrategy.CURRENT)
        Codec retryOnCodec() {
            return Codec.jackson();
        }
    }
}
